#define EXTRA 0
