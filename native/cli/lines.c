#include "lines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void tlwPrintJsonString(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < 0x20)
            printf("\\u%04x", *c);
        else
            putchar(*c);
    }
    putchar('"');
}

void tlwPrintJsonMember(const char *key, double value)
{
    printf(", ");
    tlwPrintJsonString(key);
    if (isfinite(value))
        printf(": %.9g", value);
    else
        printf(": null");
}

double tlwGetWallClock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#ifdef TLW_COVERAGE
void __gcov_dump(void);
#endif

int tlwRunInChild(int (*fn)(void *user), void *user)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return 127;
    if (child == 0) {
        int code = fn(user);
        fflush(NULL);
#ifdef TLW_COVERAGE
        __gcov_dump(); // _exit does not write what was counted
#endif
        _exit(code);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
