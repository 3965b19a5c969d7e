/*
 * ring: an MPI program, recorded with EZTrace.
 *
 *	ring STEPS WORK
 *
 * In each of STEPS steps a number goes around all ranks, each of which computes before it passes it
 * on; rank 1 computes WORK terms and the others 20,000. With N ranks there are N STEPS messages, each
 * with a tag of its own step, and at the end one MPI_Allreduce.
 */
#include <mpi.h>
#include <stdlib.h>

static double compute(int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += 1.0 / (i + 1);
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size, steps = atoi(argv[1]), work = atoi(argv[2]);
	double token = 0, all = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < steps; i++) {
		token += compute(rank == 1 ? work : 20000);
		if (rank == 0)
			MPI_Send(&token, 1, MPI_DOUBLE, 1, i, MPI_COMM_WORLD);
		MPI_Recv(&token, 1, MPI_DOUBLE, (rank + size - 1) % size, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank != 0)
			MPI_Send(&token, 1, MPI_DOUBLE, (rank + 1) % size, i, MPI_COMM_WORLD);
	}
	MPI_Allreduce(&token, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return all < 0;
}
