/* A ring of processes: in each round every one works, passes a block to its right neighbour, and
 * waits for one from its left; then all agree on a sum. Rank 0 has twice the work.
 *
 *   simring ROUNDS
 */
#include <mpi.h>
#include <stdlib.h>

enum { block = 20000 };
static double in[block], out[block];

static double work(int rank)
{
    double sum = 0;
    for (int pass = rank == 0 ? 2 : 1; pass > 0; pass--)
        for (int i = 0; i < block; i++)
            sum += out[i] = in[i] * 0.5 + i;
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int r = 0; r < rounds; r++) {
        double sum = work(rank), all;
        int left = (rank + size - 1) % size, right = (rank + 1) % size;
        if (rank % 2 == 0) {
            MPI_Send(out, block, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
            MPI_Recv(in, block, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, block, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, block, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
        }
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
