/*
 * kinds: writes an OTF2 archive with the library of the format: two processes, each with events of
 * all kinds.
 *
 *	kinds DIR
 *
 * Rank 0 sends rank 1 two messages; both take part in collective operations, in a team of threads
 * and its barrier. Rank 1 has clock offsets and a mapping table of regions, so its times and regions
 * differ from what its events say. Location numbers, ranks and thread numbers are the same.
 */
#include <otf2/otf2.h>
#include <stdbool.h>

enum { ALL = 1, VALUE, MAIN, EXCHANGE, REDUCE, PARALLEL, BARRIER, JOIN, WRITE, WORLD, TEAM, THREADS,
       INTER, NODE, MACHINE, NODE_NAME, RANK_0, RANK_1, THREAD, MPI, PATH, HANDLE, SOURCE, WINDOW,
       ATTRIBUTES, /* five names */ PARAMETERS = ATTRIBUTES + 5, /* three names */ STRINGS = PARAMETERS + 3 };

static const char *strings[STRINGS] = { "", "kinds", "value", "main", "MPI_Sendrecv", "MPI_Allreduce",
	"!$omp parallel @kinds.c:7", "!$omp implicit barrier @kinds.c:9", "pthread_join", "write",
	"MPI_COMM_WORLD", "team", "threads", "both", "node", "machine", "node 7", "rank 0", "rank 1",
	"thread", "MPI", "/data/out", "out", "kinds.c", "window", "count", "label", "ratio", "small",
	"big", "phase", "delta", "size" };

/* regions by number: role, paradigm and name */
static const struct { OTF2_RegionRole role; OTF2_Paradigm paradigm; int name; } regions[] = {
	{ OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, MAIN },
	{ OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI, EXCHANGE },
	{ OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_PARADIGM_MPI, REDUCE },
	{ OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP, PARALLEL },
	{ OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP, BARRIER },
	{ OTF2_REGION_ROLE_THREAD_WAIT, OTF2_PARADIGM_PTHREAD, JOIN },
	{ OTF2_REGION_ROLE_FILE_IO, OTF2_PARADIGM_COMPILER, WRITE },
};
enum { REGIONS = sizeof regions / sizeof *regions };

static OTF2_FlushType flush(void *u, OTF2_FileType f, OTF2_LocationRef l, void *c, bool final)
{
	return OTF2_FLUSH;
}

static OTF2_TimeStamp after(void *u, OTF2_FileType f, OTF2_LocationRef l) { return 0; }

static OTF2_FlushCallbacks callbacks = { flush, after };
static uint64_t now;

#define E(kind, ...) OTF2_EvtWriter_##kind(w, NULL, now += 10, ##__VA_ARGS__)

static void mpi(OTF2_EvtWriter *w, int rank)
{
	int exchange = rank ? 2 : 1, reduce = rank ? 1 : 2; /* rank 1 numbers them the other way round */
	OTF2_AttributeList *list = OTF2_AttributeList_New();
	OTF2_AttributeList_AddUint64(list, 0, 77);
	OTF2_AttributeList_AddStringRef(list, 1, VALUE);
	OTF2_AttributeList_AddDouble(list, 2, 1.5);
	OTF2_AttributeList_AddInt8(list, 3, -3);
	OTF2_AttributeList_AddInt64(list, 4, -5);
	OTF2_EvtWriter_Enter(w, list, now += 10, exchange);
	if (rank == 0) {
		E(MpiSend, 1, 0, 42, 4096);
		E(MpiIsend, 1, 0, 43, 4096, 99);
		E(MpiIsendComplete, 99);
	} else {
		E(MpiIrecvRequest, 5);
		E(MpiRecv, 0, 0, 42, 4096);
		E(MpiIrecv, 0, 0, 43, 4096, 5);
	}
	E(MpiRequestTest, 8);
	E(MpiRequestCancelled, OTF2_UNDEFINED_UINT64);
	E(Leave, exchange);
	E(Enter, reduce);
	E(MpiCollectiveBegin);
	E(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_COLLECTIVE_ROOT_NONE, 8, 16);
	E(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BCAST, 3, 1, 8, 16);
	E(NonBlockingCollectiveRequest, 31);
	E(NonBlockingCollectiveComplete, OTF2_COLLECTIVE_OP_BARRIER, 0, 0, 1, 2, 31);
	E(CommCreate, 0);
	E(CommDestroy, 0);
	E(Leave, reduce);
}

static void remote_memory(OTF2_EvtWriter *w)
{
	E(RmaWinCreate, 0);
	E(RmaCollectiveBegin);
	E(RmaCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS, 0, 0, 1, 2);
	E(RmaGroupSync, OTF2_RMA_SYNC_LEVEL_MEMORY, 0, 1);
	E(RmaRequestLock, 0, 1, 6, OTF2_LOCK_EXCLUSIVE);
	E(RmaAcquireLock, 0, 1, 6, OTF2_LOCK_EXCLUSIVE);
	E(RmaTryLock, 0, 1, 6, OTF2_LOCK_SHARED);
	E(RmaReleaseLock, 0, 1, 6);
	E(RmaSync, 0, 1, OTF2_RMA_SYNC_TYPE_MEMORY);
	E(RmaWaitChange, 0);
	E(RmaPut, 0, 1, 100, 5);
	E(RmaGet, 0, 1, 100, 6);
	E(RmaAtomic, 0, 1, OTF2_RMA_ATOMIC_TYPE_SWAP, 8, 9, 7);
	E(RmaOpCompleteBlocking, 0, 5);
	E(RmaOpCompleteNonBlocking, 0, 6);
	E(RmaOpTest, 0, 7);
	E(RmaOpCompleteRemote, 0, 8);
	E(RmaWinDestroy, 0);
}

static void threads(OTF2_EvtWriter *w, int rank)
{
	E(OmpFork, 4);
	E(OmpJoin);
	E(OmpAcquireLock, 3, 1);
	E(OmpReleaseLock, 3, 1);
	E(OmpTaskCreate, 1);
	E(OmpTaskSwitch, 1);
	E(OmpTaskComplete, 1);
	E(Enter, 3);
	if (rank == 0)
		E(ThreadFork, OTF2_PARADIGM_OPENMP, 2);
	E(ThreadTeamBegin, 1);
	E(Enter, 4);
	now += 1000;
	E(Leave, 4);
	E(ThreadTaskCreate, 1, 0, 1);
	E(ThreadTaskSwitch, 1, 0, 1);
	E(ThreadTaskComplete, 1, 0, 1);
	E(ThreadTeamEnd, 1);
	if (rank == 0)
		E(ThreadJoin, OTF2_PARADIGM_OPENMP);
	E(Leave, 3);
	E(Enter, 5);
	E(ThreadAcquireLock, OTF2_PARADIGM_PTHREAD, 11, 1);
	E(ThreadReleaseLock, OTF2_PARADIGM_PTHREAD, 11, 1);
	if (rank == 0) {
		E(ThreadCreate, 2, 1);
		E(ThreadWait, 2, 1);
	} else {
		E(ThreadBegin, 2, 1);
		E(ThreadEnd, 2, 1);
	}
	E(Leave, 5);
}

static void files(OTF2_EvtWriter *w)
{
	E(Enter, 6);
	E(IoCreateHandle, 0, OTF2_IO_ACCESS_MODE_READ_WRITE, OTF2_IO_CREATION_FLAG_CREATE,
	  OTF2_IO_STATUS_FLAG_APPEND);
	E(IoDuplicateHandle, 0, 0, OTF2_IO_STATUS_FLAG_NONE);
	E(IoSeek, 0, -4, OTF2_IO_SEEK_FROM_END, 12);
	E(IoChangeStatusFlags, 0, OTF2_IO_STATUS_FLAG_APPEND);
	E(IoOperationBegin, 0, OTF2_IO_OPERATION_MODE_WRITE, OTF2_IO_OPERATION_FLAG_NONE, 512, 1);
	E(IoOperationTest, 0, 1);
	E(IoOperationIssued, 0, 1);
	E(IoOperationComplete, 0, 512, 1);
	E(IoOperationCancelled, 0, 1);
	E(IoAcquireLock, 0, OTF2_LOCK_SHARED);
	E(IoReleaseLock, 0, OTF2_LOCK_SHARED);
	E(IoTryLock, 0, OTF2_LOCK_EXCLUSIVE);
	E(IoDeleteFile, 0, 0);
	E(IoDestroyHandle, 0);
	E(Leave, 6);
}

static void events(OTF2_EvtWriter *w, int rank)
{
	OTF2_StringRef arguments[] = { ALL, VALUE };
	OTF2_Type types[] = { OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE };
	OTF2_MetricValue values[] = { { .unsigned_int = 7 }, { .floating_point = 2.5 } };
	now = 1000 + rank;
	E(ProgramBegin, ALL, 2, arguments);
	E(Enter, 0);
	mpi(w, rank);
	E(Metric, 0, 2, types, values);
	E(ParameterString, 0, VALUE);
	E(ParameterInt, 1, -9);
	E(ParameterUnsignedInt, 2, 9);
	remote_memory(w);
	threads(w, rank);
	E(CallingContextEnter, 0, 2);
	E(CallingContextSample, 0, 2, 0);
	E(CallingContextLeave, 0);
	files(w);
	E(MeasurementOnOff, OTF2_MEASUREMENT_OFF);
	E(BufferFlush, now + 50);
	now += 60;
	E(Leave, 0);
	E(ProgramEnd, 3);
}

static void local_definitions(OTF2_DefWriter *d, int rank)
{
	OTF2_IdMap *map = OTF2_IdMap_Create(rank ? OTF2_ID_MAP_SPARSE : OTF2_ID_MAP_DENSE, 3);
	for (int i = 0; i < 3; i++)
		OTF2_IdMap_AddIdPair(map, i, rank && i ? 3 - i : i);
	OTF2_DefWriter_WriteMappingTable(d, OTF2_MAPPING_REGION, map);
	OTF2_IdMap_Free(map);
	OTF2_DefWriter_WriteClockOffset(d, 1000, 100, 0.5);
	if (rank) { /* one offset alone counts for nothing */
		OTF2_DefWriter_WriteClockOffset(d, 3000, -100, 0.5);
		OTF2_DefWriter_WriteClockOffset(d, 9000, 500, 0.5);
	}
}

static void places(OTF2_GlobalDefWriter *g)
{
	uint64_t all[] = { 0, 1 };
	OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, MACHINE, MACHINE, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 1, NODE_NAME, NODE, 0);
	OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(g, 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
	for (int rank = 0; rank < 2; rank++) {
		OTF2_GlobalDefWriter_WriteLocationGroup(g, rank, RANK_0 + rank, OTF2_LOCATION_GROUP_TYPE_PROCESS,
							1, OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(g, rank, THREAD, OTF2_LOCATION_TYPE_CPU_THREAD, 86, rank);
	}
	OTF2_GlobalDefWriter_WriteGroup(g, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, 2, all);
	OTF2_GlobalDefWriter_WriteGroup(g, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 2, all);
	OTF2_GlobalDefWriter_WriteGroup(g, 2, 0, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, 0, all);
	for (int i = 0; i < 3; i++)
		OTF2_GlobalDefWriter_WriteComm(g, i, WORLD + i, 1, OTF2_UNDEFINED_COMM, 0);
	OTF2_GlobalDefWriter_WriteInterComm(g, 3, INTER, 1, 1, 0, 0);
}

static void definitions(OTF2_GlobalDefWriter *g)
{
	OTF2_Type types[] = { OTF2_TYPE_UINT64, OTF2_TYPE_STRING, OTF2_TYPE_DOUBLE, OTF2_TYPE_INT8,
			      OTF2_TYPE_INT64 };
	OTF2_ParameterType parameters[] = { OTF2_PARAMETER_TYPE_STRING, OTF2_PARAMETER_TYPE_INT64,
					    OTF2_PARAMETER_TYPE_UINT64 };
	OTF2_MetricMemberRef members[] = { 0, 0 };
	OTF2_GlobalDefWriter_WriteClockProperties(g, 1500000000, 500, 20000, OTF2_UNDEFINED_TIMESTAMP);
	for (int i = 0; i < STRINGS; i++)
		OTF2_GlobalDefWriter_WriteString(g, i, strings[i]);
	OTF2_GlobalDefWriter_WriteParadigm(g, OTF2_PARADIGM_MPI, MPI, OTF2_PARADIGM_CLASS_PROCESS);
	places(g);
	for (int i = 0; i < REGIONS; i++)
		OTF2_GlobalDefWriter_WriteRegion(g, i, regions[i].name, regions[i].name, 0, regions[i].role,
						 regions[i].paradigm, 0, SOURCE, 10 + i, 20 + i);
	for (int i = 0; i < 5; i++)
		OTF2_GlobalDefWriter_WriteAttribute(g, i, ATTRIBUTES + i, 0, types[i]);
	for (int i = 0; i < 3; i++)
		OTF2_GlobalDefWriter_WriteParameter(g, i, PARAMETERS + i, parameters[i]);
	OTF2_GlobalDefWriter_WriteRmaWin(g, 0, WINDOW, 0, 0);
	OTF2_GlobalDefWriter_WriteMetricMember(g, 0, ATTRIBUTES, 0, OTF2_METRIC_TYPE_OTHER,
		OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, 0);
	OTF2_GlobalDefWriter_WriteMetricClass(g, 0, 2, members, OTF2_METRIC_ASYNCHRONOUS,
		OTF2_RECORDER_KIND_CPU);
	OTF2_GlobalDefWriter_WriteIoParadigm(g, 0, VALUE, VALUE, OTF2_IO_PARADIGM_CLASS_SERIAL, 0, 0, NULL,
		NULL, NULL);
	OTF2_GlobalDefWriter_WriteIoRegularFile(g, 0, PATH, 1);
	OTF2_GlobalDefWriter_WriteIoHandle(g, 0, HANDLE, 0, 0, 0, OTF2_UNDEFINED_COMM,
		OTF2_UNDEFINED_IO_HANDLE);
	OTF2_GlobalDefWriter_WriteSourceCodeLocation(g, 0, SOURCE, 3);
	OTF2_GlobalDefWriter_WriteCallingContext(g, 0, 0, 0, OTF2_UNDEFINED_CALLING_CONTEXT);
	OTF2_GlobalDefWriter_WriteInterruptGenerator(g, 0, VALUE, OTF2_INTERRUPT_GENERATOR_MODE_TIME,
		OTF2_BASE_DECIMAL, -9, 1);
}

int main(int argc, char **argv)
{
	OTF2_Archive *a = OTF2_Archive_Open(argv[1], "kinds", OTF2_FILEMODE_WRITE, 256 << 10, 4 << 20,
					    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	OTF2_Archive_SetFlushCallbacks(a, &callbacks, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(a);
	OTF2_Archive_SetCreator(a, "kinds.c");
	OTF2_Archive_OpenEvtFiles(a);
	for (int rank = 0; rank < 2; rank++)
		events(OTF2_Archive_GetEvtWriter(a, rank), rank);
	OTF2_Archive_CloseEvtFiles(a);
	OTF2_Archive_OpenDefFiles(a);
	for (int rank = 0; rank < 2; rank++) {
		OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a, rank);
		local_definitions(d, rank);
		OTF2_Archive_CloseDefWriter(a, d);
	}
	OTF2_Archive_CloseDefFiles(a);
	definitions(OTF2_Archive_GetGlobalDefWriter(a));
	return OTF2_Archive_Close(a) != OTF2_SUCCESS;
}
