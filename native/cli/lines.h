// What `verify` and `bench` share: JSON on standard output, the clock, and children that may crash alone.
#ifndef TLW_CLI_LINES_H
#define TLW_CLI_LINES_H

void tlwPrintJsonString(const char *text);
// `, "key": value`; null when the value is not finite.
void tlwPrintJsonMember(const char *key, double value);

double tlwGetWallClock(void); // s

// Runs `fn` in a process of its own, so that peak memory is its own and a crash ends only it. Returns what `fn`
// returns, 128 + the signal that ended it, or 127 when the system refuses a process.
int tlwRunInChild(int (*fn)(void *user), void *user);

#endif
