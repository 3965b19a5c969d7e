/*
 * family: a parent and a forked child, each placing queens on a board of its own; the child sends
 * its count through a pipe. Recorded with uftrace: two processes of one thread each, recursion,
 * waitpid and pipe I/O.
 *
 *	family PARENTS_SIZE CHILDS_SIZE
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int attacked(const int *column, int row)
{
	for (int r = 0; r < row; r++) {
		int d = abs(column[r] - column[row]);
		if (d == 0 || d == row - r)
			return 1;
	}
	return 0;
}

static int place(int *column, int row, int size)
{
	if (row == size)
		return 1;
	int found = 0;
	for (column[row] = 0; column[row] < size; column[row]++)
		if (!attacked(column, row))
			found += place(column, row + 1, size);
	return found;
}

static int queens(int size)
{
	int column[size];
	return place(column, 0, size);
}

static void child(int out, int size)
{
	int n = queens(size);
	exit(write(out, &n, sizeof n) == sizeof n ? 0 : 1);
}

static int parent(int in, pid_t pid, int size)
{
	int mine = queens(size), theirs = 0, status = 0;
	if (read(in, &theirs, sizeof theirs) != sizeof theirs)
		return 1;
	waitpid(pid, &status, 0);
	printf("%d %d\n", mine, theirs);
	return status;
}

int main(int argc, char **argv)
{
	int end[2];
	if (argc != 3 || pipe(end) != 0) {
		fprintf(stderr, "usage: family PARENTS_SIZE CHILDS_SIZE\n");
		return 2;
	}
	pid_t pid = fork();
	if (pid == 0)
		child(end[1], atoi(argv[2]));
	return parent(end[0], pid, atoi(argv[1]));
}
