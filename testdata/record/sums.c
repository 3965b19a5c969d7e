/* sums N: recursion, a cycle of two functions, an inlined function of a header, a function with two
 * callers. Written to be recorded with callgrind. */
#include <stdio.h>
#include <stdlib.h>
#include "mix.h"

__attribute__((noinline)) static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static unsigned odd(unsigned n);
__attribute__((noinline)) static unsigned even(unsigned n) { return n == 0 ? 1 : odd(n - 1) + mix(n); }
__attribute__((noinline)) static unsigned odd(unsigned n) { return n == 0 ? 0 : even(n - 1) ^ n; }

__attribute__((noinline)) static unsigned table(unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += mix(i);
	return sum + even(n % 16);
}

__attribute__((noinline)) static unsigned small(unsigned n) { return table(n) + fib(5); }
__attribute__((noinline)) static unsigned large(unsigned n) { return table(8 * n) + fib(10); }

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? atoi(argv[1]) : 100;
	printf("%u\n", small(n) + large(n));
	return 0;
}
