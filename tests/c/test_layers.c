// The layers of the library: a file includes headers of its own layer or of lower ones only, and nothing ends the
// process.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Bottom to top.
static const char *const layers[] = {"base", "grid", "shape", "solve", "rigid", "scene", "step", "cache"};
enum { LAYERS = sizeof layers / sizeof layers[0] };

// Rank of the layer that a path like "shape/mesh.h" names, or -1.
static int getRank(const char *path)
{
    for (int i = 0; i < LAYERS; i++) {
        size_t length = strlen(layers[i]);
        if (!strncmp(path, layers[i], length) && path[length] == '/')
            return i;
    }
    return -1;
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

static int checkFile(const char *path, int rank)
{
    char line[1024], header[256];
    int wrong = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "#include \"%255[^\"]\"", header) == 1) {
            bool allowed = getRank(header) >= 0 && getRank(header) <= rank;
            allowed |= !strcmp(header, "tallow/tallow.h");
            // Bridge headers are C, but only these two layers look behind the library's own interface.
            allowed |=
                !strncmp(header, "bridge/", 7) && (!strcmp(layers[rank], "shape") || !strcmp(layers[rank], "cache"));
            if (!allowed) {
                print_error("%s includes %s\n", path, header);
                wrong++;
            }
        }
        const char *comment = strstr(line, "//");
        if (comment)
            line[comment - line] = 0;
        if (calls(line, "abort") || calls(line, "exit") || calls(line, "setlocale")) {
            print_error("%s calls what ends or changes the whole process: %s", path, line);
            wrong++;
        }
    }
    fclose(file);
    return wrong;
}

static void test_no_file_looks_up_the_layers(void **state)
{
    (void)state;
    int files = 0, wrong = 0;
    for (int rank = 0; rank < LAYERS; rank++) {
        char folder[512], path[1024];
        snprintf(folder, sizeof folder, "%s/native/src/%s", TLW_SOURCE_DIR, layers[rank]);
        DIR *dir = opendir(folder);
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
            const char *dot = strrchr(entry->d_name, '.');
            if (!dot || (strcmp(dot, ".c") && strcmp(dot, ".h")))
                continue;
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            wrong += checkFile(path, rank);
            files++;
        }
        if (dir)
            closedir(dir);
    }
    assert_true(files > 20);
    assert_int_equal(wrong, 0);
}

// The command line is a program like any other: tallow.h and its own headers.
static void test_command_line_uses_the_public_header_only(void **state)
{
    (void)state;
    DIR *dir = opendir(TLW_SOURCE_DIR "/native/cli");
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[1024], line[1024], header[256];
        if (entry->d_name[0] == '.')
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
        cmocka_unit_test(test_no_file_looks_up_the_layers),
        cmocka_unit_test(test_command_line_uses_the_public_header_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
