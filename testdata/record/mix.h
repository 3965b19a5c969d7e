static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	x ^= x >> 7;
	x *= 2654435761u;
	return x ^ x >> 15;
}
