// The rooms of the library: a file includes headers of its own room and of the rooms that its row names, and nothing
// ends the process.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// The matrix of docs/architecture.md. A row may name only rooms above it.
static const struct {
    const char *room, *uses;
} rooms[] = {
    {"base", ""},
    {"grid", "base"},
    {"shape", "base grid"},
    {"solve", "base"},
    {"solve/poisson", "base grid solve"},
    {"solve/stress", "base grid solve"},
    {"solve/scalar", "base solve/poisson"},
    {"rigid", "base shape"},
    {"scene", "base shape"},
    {"step/fields", "base grid shape"},
    {"step/obstacles", "base grid shape scene step/fields"},
    {"step/liquid", "base grid shape scene step/fields step/obstacles"},
    {"step/heat", "base shape solve/scalar scene step/fields step/obstacles step/liquid"},
    {"step/bodies", "base grid shape solve/poisson rigid scene step/fields step/obstacles step/liquid"},
    {"step/frozen", "base grid shape rigid scene step/fields step/obstacles step/liquid step/heat step/bodies"},
    {"step/pressure", "base grid solve/poisson step/fields step/obstacles step/bodies"},
    {"step/viscosity", "base solve/stress scene step/fields step/obstacles step/liquid step/bodies"},
    {"step/flight", "base grid shape scene step/liquid step/bodies"},
    {"step/views", "base grid shape scene step/fields step/obstacles step/liquid step/bodies"},
    {"step", "base grid shape rigid scene step/fields step/obstacles step/liquid step/heat step/bodies step/frozen "
             "step/pressure step/viscosity step/flight step/views"},
    {"cache", "base shape scene step/views step"},
};
enum { ROOMS = sizeof rooms / sizeof rooms[0] };

// The row of the room that a path like "step/heat/heat.h" lies in, or -1. The longest name counts.
static int findRoom(const char *path)
{
    int found = -1;
    for (int n = 0; n < ROOMS; n++) {
        size_t length = strlen(rooms[n].room);
        bool inside = !strncmp(path, rooms[n].room, length) && path[length] == '/';
        if (inside && (found < 0 || length > strlen(rooms[found].room)))
            found = n;
    }
    return found;
}

static bool names(const char *list, const char *room)
{
    size_t length = strlen(room);
    for (const char *at = list; (at = strstr(at, room)); at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static bool mayInclude(int room, const char *header)
{
    int other = findRoom(header);
    if (!strcmp(header, "tallow/tallow.h") || other == room)
        return true;
    // Bridge headers are C, but only these two rooms look behind the library's own interface.
    if (!strncmp(header, "bridge/", 7))
        return !strcmp(rooms[room].room, "shape") || !strcmp(rooms[room].room, "cache");
    return other >= 0 && names(rooms[room].uses, rooms[other].room);
}

// A call of `name`, not a longer name that ends with it.
static bool calls(const char *line, const char *name)
{
    for (const char *at = line; (at = strstr(at, name)); at++) {
        char before = at == line ? ' ' : at[-1];
        bool word = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') || before == '_';
        if (!word && at[strlen(name)] == '(')
            return true;
    }
    return false;
}

typedef struct Count {
    int files, wrong;
    bool used[ROOMS][ROOMS];
} Count;

static void checkFile(const char *path, const char *inside, Count *count)
{
    char line[1024], header[256];
    int room = findRoom(inside);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(room >= 0);
    count->files++;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "#include \"%255[^\"]\"", header) == 1) {
            if (!mayInclude(room, header)) {
                print_error("%s includes %s\n", inside, header);
                count->wrong++;
            }
            // What a simulation is made of is known to step/ itself; its rooms get the parts that they need.
            if (!strcmp(header, "step/sim.h") && strcmp(rooms[room].room, "step") != 0) {
                print_error("%s looks into tlwSim\n", inside);
                count->wrong++;
            }
            if (findRoom(header) >= 0)
                count->used[room][findRoom(header)] = true;
        }
        char *comment = strstr(line, "//");
        if (comment)
            *comment = 0;
        if (calls(line, "abort") || calls(line, "exit") || calls(line, "setlocale")) {
            print_error("%s calls what ends or changes the whole process: %s", inside, line);
            count->wrong++;
        }
    }
    fclose(file);
}

static void checkFolder(const char *inside, Count *count)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/native/src/%s", TLW_SOURCE_DIR, inside);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char child[512];
        struct stat info;
        snprintf(child, sizeof child, "%s%s%s", inside, inside[0] ? "/" : "", entry->d_name);
        snprintf(path, sizeof path, "%s/native/src/%s", TLW_SOURCE_DIR, child);
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.' || stat(path, &info) != 0)
            continue;
        if (S_ISDIR(info.st_mode))
            checkFolder(child, count);
        else if (dot && (!strcmp(dot, ".c") || !strcmp(dot, ".h")))
            checkFile(path, child, count);
    }
    closedir(dir);
}

static void test_rooms_include_what_the_matrix_allows(void **state)
{
    (void)state;
    Count count = {0};
    checkFolder("", &count);
    assert_true(count.files > 200);
    assert_int_equal(count.wrong, 0);
    for (int a = 0; a < ROOMS; a++)
        for (int b = 0; b < ROOMS; b++) {
            bool named = names(rooms[a].uses, rooms[b].room);
            if (named && b >= a)
                fail_msg("%s may not use %s, which stands below it", rooms[a].room, rooms[b].room);
            if (named && !count.used[a][b])
                fail_msg("%s may use %s and does not: strike it from the matrix", rooms[a].room, rooms[b].room);
        }
}

// The command line is a program like any other: tallow.h and its own headers. The manufactured solution prescribes a
// velocity, which no scene can.
static void test_command_line_uses_the_public_header_only(void **state)
{
    (void)state;
    DIR *dir = opendir(TLW_SOURCE_DIR "/native/cli");
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[1024], line[1024], header[256];
        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "manufactured.c"))
            continue;
        snprintf(path, sizeof path, "%s/native/cli/%s", TLW_SOURCE_DIR, entry->d_name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        while (fgets(line, sizeof line, file))
            if (sscanf(line, "#include \"%255[^\"]\"", header) == 1 && strchr(header, '/') &&
                strcmp(header, "tallow/tallow.h"))
                fail_msg("%s includes %s", path, header);
        fclose(file);
    }
    if (dir)
        closedir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rooms_include_what_the_matrix_allows),
        cmocka_unit_test(test_command_line_uses_the_public_header_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
