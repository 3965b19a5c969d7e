/* orders N: as many orders, whose prices are looked up. Written to be recorded with callgrind. With
 * -DCHANGED, each order looks up two prices and is stamped, a check compares three times as much, tax
 * is named duty, and orders are noted in tens. */
#include <stdio.h>
#include <stdlib.h>

#define PART __attribute__((noinline)) static unsigned

static unsigned prices[64];

PART look_up(unsigned item)
{
	unsigned at = item % 64;
	while (prices[at] == 0)
		at = (at + 1) % 64;
	return prices[at];
}

#ifdef CHANGED
#define tax duty
enum { COMPARED = 60, NOTED = 10 };
#else
enum { COMPARED = 20, NOTED = 1 };
#endif

PART tax(unsigned price) { return price * 19 / 100 + (price & 3); }

#ifdef CHANGED
PART stamp(unsigned sum) { return sum ^ sum >> 7 ^ sum << 11 ^ sum << 17; }
#endif

PART check(unsigned order)
{
	unsigned alike = 0;
	for (unsigned i = 0; i < COMPARED; i++)
		alike += (order ^ i) % 7 == 0;
	return alike;
}

PART depth(unsigned n) { return n < 2 ? n : depth(n / 2) + 1; }

PART note(unsigned orders)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < orders + 8; i++)
		sum = sum * 31 + i;
	return sum;
}

PART take(unsigned order)
{
	unsigned sum = look_up(order) + check(order) + depth(order % 32);
#ifdef CHANGED
	sum += look_up(order + 7) + stamp(sum);
#endif
	return sum + tax(sum);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? atoi(argv[1]) : 100, sum = 0;
	for (unsigned i = 0; i < 64; i += 3)
		prices[i] = i + 1;
	for (unsigned i = 0; i < n; i++) {
		sum += take(i);
		if (i % NOTED == 0)
			sum += note(NOTED);
	}
	printf("%u\n", sum);
	return 0;
}
