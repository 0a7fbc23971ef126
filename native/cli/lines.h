// What `verify` and `bench` share: JSON on standard output, the clock, and child processes.
#ifndef TLW_CLI_LINES_H
#define TLW_CLI_LINES_H

void tlwPrintJsonString(const char *text);
// `, "key": value`; null when the value is not finite.
void tlwPrintJsonMember(const char *key, double value);

double tlwGetWallClock(void); // s

// Runs `fn` in a child process, which has its own peak memory and may crash alone. Returns the result of `fn`, 128 +
// the signal that ended the child, or 127 when the system refuses a process.
int tlwRunInChild(int (*fn)(void *user), void *user);

#endif
