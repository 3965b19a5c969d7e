/*
 * queue: producers and consumers over a bounded ring, recorded with uftrace.
 *
 *	queue PRODUCERS CONSUMERS JOBS LOG
 *
 * Every producer puts JOBS small expressions into a ring of SLOTS slots; every consumer takes
 * them out, computes them with a recursive-descent evaluator and appends the result to LOG.
 * After the producers are joined, main puts one end mark per consumer and waits, on a condition
 * variable, until all consumers have said that they are done.
 *
 * What can be counted from the source alone, with P producers, C consumers, J jobs each:
 *	sem_wait  = sem_post              = 2 (P J + C)   one pair per put, one per get
 *	ring.lock                         = 2 (P J + C)   lock/unlock pairs
 *	done.lock                         = C + 1         lock/unlock pairs
 *	pthread_cond_signal               = C
 *	pthread_create = pthread_join     = P + C
 *	write                             = P J           one line a job
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 4, TEXT = 40, NESTING = 3 };

struct job {
	int number; /* negative: end mark */
	char text[TEXT];
};

static struct {
	struct job slot[SLOTS];
	unsigned head, tail;
	sem_t empty, full;
	pthread_mutex_t lock;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
	int consumers;
	pthread_mutex_t lock;
	pthread_cond_t changed;
} done = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static int jobs, logfile;

/* ---- the ring ---- */

static void put(const struct job *j)
{
	sem_wait(&ring.empty);
	pthread_mutex_lock(&ring.lock);
	ring.slot[ring.tail++ % SLOTS] = *j;
	pthread_mutex_unlock(&ring.lock);
	sem_post(&ring.full);
}

static struct job get(void)
{
	sem_wait(&ring.full);
	pthread_mutex_lock(&ring.lock);
	struct job j = ring.slot[ring.head++ % SLOTS];
	pthread_mutex_unlock(&ring.lock);
	sem_post(&ring.empty);
	return j;
}

/* ---- the work: sum = product {("+"|"-") product}, product = atom {"*" atom},
 *      atom = digit | "(" sum ")" ---- */

static long sum(const char **s);

static long atom(const char **s)
{
	if (**s != '(')
		return *(*s)++ - '0';
	++*s;
	long v = sum(s);
	++*s;
	return v;
}

static long product(const char **s)
{
	long v = atom(s);
	while (**s == '*') {
		++*s;
		v *= atom(s);
	}
	return v;
}

static long sum(const char **s)
{
	long v = product(s);
	while (**s == '+' || **s == '-') {
		char op = *(*s)++;
		long w = product(s);
		v = op == '+' ? v + w : v - w;
	}
	return v;
}

/* churn burns some time that grows with v, so that calls differ in width. */
static uint32_t churn(long v)
{
	uint32_t h = 2166136261u ^ (uint32_t)v;
	for (int i = 0; i < 20000 + 2000 * (int)(h % 50); i++)
		h = (h ^ (uint32_t)i) * 16777619u;
	return h;
}

static void append(int number, long value, uint32_t hash)
{
	char line[64];
	int n = snprintf(line, sizeof line, "%d %ld %08x\n", number, value, hash);
	if (write(logfile, line, (size_t)n) != n)
		exit(1);
}

/* ---- the expressions: deterministic in the job's number ---- */

static unsigned next(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

static char *operand(char *at, unsigned *seed, int nesting)
{
	if (nesting == 0 || next(seed) % 4 == 0) {
		*at++ = '1' + next(seed) % 9;
		return at;
	}
	*at++ = '(';
	at = operand(at, seed, nesting - 1);
	*at++ = "+-*"[next(seed) % 3];
	at = operand(at, seed, nesting - 1);
	*at++ = ')';
	return at;
}

static struct job compose(int number)
{
	struct job j = {.number = number};
	unsigned seed = (unsigned)number;
	*operand(j.text, &seed, NESTING) = '\0';
	return j;
}

/* ---- the threads ---- */

static void *producer(void *first)
{
	for (int i = 0; i < jobs; i++) {
		struct job j = compose((int)(intptr_t)first + i);
		put(&j);
	}
	return NULL;
}

static void compute(const struct job *j)
{
	const char *s = j->text;
	long v = sum(&s);
	append(j->number, v, churn(v));
}

static void finish(void)
{
	pthread_mutex_lock(&done.lock);
	done.consumers++;
	pthread_cond_signal(&done.changed);
	pthread_mutex_unlock(&done.lock);
}

static void *consumer(void *unused)
{
	for (;;) {
		struct job j = get();
		if (j.number < 0)
			break;
		compute(&j);
	}
	finish();
	return unused;
}

static void await(int consumers)
{
	pthread_mutex_lock(&done.lock);
	while (done.consumers < consumers)
		pthread_cond_wait(&done.changed, &done.lock);
	pthread_mutex_unlock(&done.lock);
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: queue PRODUCERS CONSUMERS JOBS LOG\n");
		return 2;
	}
	int producers = atoi(argv[1]), consumers = atoi(argv[2]);
	jobs = atoi(argv[3]);
	logfile = open(argv[4], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	sem_init(&ring.empty, 0, SLOTS);
	sem_init(&ring.full, 0, 0);

	pthread_t thread[producers + consumers];
	for (int i = 0; i < consumers; i++)
		pthread_create(&thread[producers + i], NULL, consumer, NULL);
	for (int i = 0; i < producers; i++)
		pthread_create(&thread[i], NULL, producer, (void *)(intptr_t)(i * jobs));
	for (int i = 0; i < producers; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < consumers; i++)
		put(&(struct job){.number = -1});
	await(consumers);
	for (int i = 0; i < consumers; i++)
		pthread_join(thread[producers + i], NULL);
	return close(logfile);
}
