package foreign

import (
	"bytes"
	"encoding/binary"
)

// What is often asked for in place of a recording.
const (
	unpackFirst = "unpack it, and open what is in it"
	whatItDoes  = no + ": record a run of it, for instance with uftrace or perf, and open what that writes"
)

// binaries are the kinds that a number at the beginning shows.
var binaries = []kind{
	// Recordings
	{"a perf.data file", "run `perf script > FILE` where it was recorded, and open FILE",
		has("PERFILE2", "2ELIFREP", "PERFFILE")},
	{"a recording of simpleperf", "simpleperf's report_sample.py writes it as text of perf script",
		has("SIMPLEPERF")},
	{"a part of an HPCToolkit database", "", has("HPCTOOLKIT")},
	{"a measurement of HPCToolkit (hpcrun)", "", has("HPCRUN-profile____", "HPCRUN-trace______")},
	{"a trace of Tracy", "", isTracy},
	{"a Slog-2 or CLOG trace of MPE", "", has("SLOG 2.", "CLOG-")},
	{"an event log of Windows (ETW, .etl)", "", isEtl},
	{"an Android method trace", "record the app with Perfetto (`perfetto -a APP`) and open that",
		func(h head) bool {
			return has("*version\n")(h) || has("SLOW")(h) && len(h) > 6 && h[5] == 0 && h[4] < 0xff
		}},
	{"a recording of Java Flight Recorder (.jfr)", "async-profiler's `jfrconv --collapsed` writes its stacks folded",
		has("FLR\x00")},
	{"a trace of .NET (.nettrace)", "run `dotnet-trace convert --format Chromium FILE`, and open what it writes",
		has("Nettrace", "\x14\x00\x00\x00!FastSerialization")},
	{"a heap dump of a JVM (hprof)", no, has("JAVA PROFILE 1.0")},
	{"a ftrace recording of trace-cmd (trace.dat)", "record the same events with Perfetto, and open that",
		has("\x17\x08Dtracing")},
	{"a Fuchsia trace (.fxt)", "", has("\x10\x00\x04\x46\x78\x54\x16\x00")},
	{"a stream of a CTF trace", "open the folder with its metadata",
		has("\xc1\x1f\xfc\xc1", "\xc1\xfc\x1f\xc1")},
	{"the metadata of a CTF trace", "open its folder", has("\x57\x1d\xd1\x75", "\x75\xd1\x1d\x57")},
	{"a part of an OTF2 archive", "open the archive's folder", has("\x03BOTF2", "\x03B\x01\x00")},
	{"an event log of GHC's runtime", "run `hs-speedscope FILE`, and open what it writes", has("hdrb")},
	{"a self-profile of rustc (.mm_profdata)", "run `crox FILE`, and open what it writes",
		has("MMPD", "MMES", "MMSD", "MMSI")},
	{"a capture of Sysprof", "", has("\x5e\x97\xca\xfd", "\xfd\xca\x97\x5e")},
	{"a trace of Unreal Engine (.utrace)", "", has("2CRT", "TRC2")},
	{"a recording of memray", "run `memray transform`, or record time with VizTracer", has("memray\x00")},
	{"raw stacks of rbspy", "run `rbspy report --format collapsed`, and open what it writes", has("rbspy")},
	{"a profile of Python's cProfile", "record calls with VizTracer, and open that", isPstats},
	{"a profile of gprof (gmon.out)", "record the program with uftrace, which uses the same `-pg`", has("gmon")},
	{"a coverage profile of LLVM", no, has("\x81rforpl\xff", "\xfflprofr\x81", "\xfflprofi\x81")},
	{"coverage data of GCC", no, has("adcg", "gcda", "oncg", "gcno")},
	{"an export of Nsight Systems (SQLite)", "", func(h head) bool {
		return has("SQLite format 3\x00")(h) && (bytes.Contains(h, []byte("CUPTI_")) ||
			bytes.Contains(h, []byte("TARGET_INFO_")))
	}},
	// Everything else
	{"a SQLite database", no, has("SQLite format 3\x00")},
	{"a core dump of a process", no, func(h head) bool { return elfType(h) == 4 }},
	{"an executable or library (ELF)", whatItDoes, func(h head) bool { t := elfType(h); return t == 2 || t == 3 }},
	{"an object file (ELF)", no, has("\x7fELF")},
	{"a class file of Java", no, func(h head) bool {
		return has("\xca\xfe\xba\xbe")(h) && len(h) > 7 && h[4] == 0 && h[5] == 0 && h[7] >= 45
	}},
	{"an executable or library (Mach-O)", whatItDoes, has("\xca\xfe\xba\xbe", "\xcf\xfa\xed\xfe",
		"\xce\xfa\xed\xfe", "\xfe\xed\xfa\xcf", "\xfe\xed\xfa\xce")},
	{"an executable or library of Windows", whatItDoes, func(h head) bool { return has("MZ")(h) && !isText(h) }},
	{"a module of WebAssembly", whatItDoes, has("\x00asm")},
	{"a capture of a network (pcap)", no, has("\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x4d\x3c\xb2\xa1",
		"\xa1\xb2\x3c\x4d", "\x0a\x0d\x0d\x0a")},
	{"a picture", no, has("\x89PNG\r\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "II*\x00", "MM\x00*")},
	{"a picture, sound or film", no, func(h head) bool {
		return has("RIFF")(h) && at(8, "WEBP", "WAVE", "AVI ")(h) || at(4, "ftyp")(h) ||
			has("\x1a\x45\xdf\xa3", "OggS", "fLaC", "ID3")(h)
	}},
	{"a PDF document", no, has("%PDF-")},
	{"a table in Parquet", no, has("PAR1")},
	{"a table of Arrow", no, has("ARROW1")},
	{"a file of HDF5", no, has("\x89HDF\r\n")},
	{"an array of NumPy", no, has("\x93NUMPY")},
	{"data of Python's pickle", no, func(h head) bool { return len(h) > 2 && h[0] == 0x80 && 2 <= h[1] && h[1] <= 5 }},
	{"a 7-Zip archive", unpackFirst, has("7z\xbc\xaf\x27\x1c")},
	{"a RAR archive", unpackFirst, has("Rar!\x1a\x07")},
	{"a cabinet archive", unpackFirst, has("MSCF\x00\x00\x00\x00")},
	{"a file packed by lzip", unpackFirst, has("LZIP\x01")},
	{"a file packed by lzma", unpackFirst, isLzma},
	{"a file packed by compress (.Z)", unpackFirst, has("\x1f\x9d", "\x1f\xa0")},
	{"a file packed by lzop", unpackFirst, has("\x89LZO\x00")},
	{"a file packed by Snappy", unpackFirst, has("\xff\x06\x00\x00sNaPpY")},
	{"a cpio archive", unpackFirst, has("070701", "070702", "070707", "\xc7\x71")},
	{"a package of RPM", no, has("\xed\xab\xee\xdb")},
	{"a library or package (ar)", no, has("!<arch>\n", "!<thin>\n")},
}

// isTracy knows both ways that Tracy packs its traces, and the header of later versions, whose
// fifth byte says which.
func isTracy(h head) bool {
	return has("tlZ\x04", "tZst")(h) || has("trac")(h) && len(h) > 5 && h[4] <= 3
}

// isEtl looks for the header that the first event of a log has behind that of its buffer: the
// version, which of two forms it has, and a mark.
func isEtl(h head) bool {
	if len(h) < 0x4c {
		return false
	}
	size := binary.LittleEndian.Uint32(h)
	return size >= 1<<10 && size%(1<<10) == 0 && bytes.Equal(h[0x48:0x4a], []byte{2, 0}) &&
		(h[0x4a] == 1 || h[0x4a] == 2) && h[0x4b] == 0xc0
}

// elfType returns the kind of an ELF file: 2 for an executable, 3 for a library or an executable
// that can lie anywhere, 4 for a core dump; 0 for what is none.
func elfType(h head) int {
	switch {
	case !has("\x7fELF")(h) || len(h) < 18:
		return 0
	case h[5] == 2:
		return int(binary.BigEndian.Uint16(h[16:]))
	}
	return int(binary.LittleEndian.Uint16(h[16:]))
}

func isPstats(h head) bool {
	return len(h) > 8 && h[0] == '{' && (h[1] == 0xa9 || h[1] == ')') && h[2] == 3 ||
		len(h) > 8 && bytes.HasPrefix(h, []byte("{(\x03\x00\x00\x00"))
}

// isLzma knows the usual settings, a size of the dictionary that is a power of two, and a size
// of the content that is not known or below a TiB.
func isLzma(h head) bool {
	if len(h) < 14 || h[0] != 0x5d {
		return false
	}
	dict, size := binary.LittleEndian.Uint32(h[1:]), binary.LittleEndian.Uint64(h[5:])
	return dict >= 1<<12 && dict&(dict-1) == 0 && (size == 1<<64-1 || size < 1<<40) && h[13] == 0
}
