#include "verify.h"

#include "cli.h"
#include "lines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

extern const tlwVerifyCase tlw_verify_ball[];
extern const tlwVerifyCase tlw_verify_drag[];
extern const tlwVerifyCase tlw_verify_flow[];
extern const tlwVerifyCase tlw_verify_harden[];
extern const tlwVerifyCase tlw_verify_heat[];
extern const tlwVerifyCase tlw_verify_inflow[];
extern const tlwVerifyCase tlw_verify_lift[];
extern const tlwVerifyCase tlw_verify_melt[];
extern const tlwVerifyCase tlw_verify_rigid[];
extern const tlwVerifyCase tlw_verify_shell[];
extern const tlwVerifyCase tlw_verify_splash[];
extern const tlwVerifyCase tlw_verify_stick[];
extern const tlwVerifyCase tlw_verify_strand[];
extern const tlwVerifyCase tlw_verify_surface[];
extern const tlwVerifyCase tlw_verify_thin[];
extern const tlwVerifyCase tlw_verify_viscosity[];

// Every list of cases, in the order of docs/validation.md; verify_*.c define them.
static const struct {
    const char *title;
    const tlwVerifyCase *cases;
} tlw_verify_groups[] = {
    {"Flow", tlw_verify_flow},
    {"Splashes", tlw_verify_splash},
    {"Viscosity", tlw_verify_viscosity},
    {"Strands and beams", tlw_verify_strand},
    {"Heat", tlw_verify_heat},
    {"Melting in shells", tlw_verify_shell},
    {"Melting", tlw_verify_melt},
    {"Hardening", tlw_verify_harden},
    {"Rigid bodies", tlw_verify_rigid},
    {"Surface", tlw_verify_surface},
    {"Thin solids", tlw_verify_thin},
    {"Viscous drag", tlw_verify_drag},
    {"Inflows", tlw_verify_inflow},
    {"Hot bodies in wax", tlw_verify_ball},
    {"Bodies on the floor", tlw_verify_lift},
    {"Stiff liquid", tlw_verify_stick},
};

enum { GROUPS = sizeof tlw_verify_groups / sizeof tlw_verify_groups[0], MOST_CASES = 256 };

typedef struct Choice {
    const tlwVerifyCase *item;
    const char *title; // of the item's group
} Choice;

typedef struct Run {
    Choice chosen[MOST_CASES];
    int count;
    tlwReportStyle style;
    FILE *page; // Markdown of the cases so far
    int threads;
    int present; // index of the case that runs
    bool failed[MOST_CASES];
} Run;

static int runCase(void *user)
{
    const Run *run = user;
    const tlwVerifyCase *item = run->chosen[run->present].item;
    bool passed = tlwWriteReport(item->name, item->run, run->style, run->page, run->threads);
    return passed ? TLW_EXIT_OK : TLW_EXIT_ERROR;
}

// In a process of its own: a crash ends one case only.
static void runInProcess(Run *run, int i)
{
    run->present = i;
    int code = tlwRunInChild(runCase, run);
    run->failed[i] = code != TLW_EXIT_OK;
    if (code != TLW_EXIT_OK && code != TLW_EXIT_ERROR)
        tlwWriteCrash(run->chosen[i].item->name, run->style, run->page, code);
}

static int countFailures(const Run *run)
{
    int failed = 0;
    for (int i = 0; i < run->count; i++)
        failed += run->failed[i];
    return failed;
}

static Choice findCase(const char *name)
{
    for (int g = 0; g < GROUPS; g++)
        for (const tlwVerifyCase *item = tlw_verify_groups[g].cases; item->name; item++)
            if (!strcmp(item->name, name))
                return (Choice){item, tlw_verify_groups[g].title};
    return (Choice){0};
}

static void chooseAll(Run *run, bool quick)
{
    for (int g = 0; g < GROUPS; g++)
        for (const tlwVerifyCase *item = tlw_verify_groups[g].cases; item->name && run->count < MOST_CASES; item++)
            if (!quick || item->quick)
                run->chosen[run->count++] = (Choice){item, tlw_verify_groups[g].title};
}

static void listCases(const Run *run)
{
    for (int i = 0; i < run->count; i++) {
        const tlwVerifyCase *item = run->chosen[i].item;
        printf("%-20s %s%s\n", item->name, item->description, item->quick ? " (quick)" : "");
    }
}

// The part of a case's section that is known before the case runs.
static void printSection(FILE *out, const Run *run, int i)
{
    const Choice *choice = &run->chosen[i];
    if (i == 0 || strcmp(choice->title, run->chosen[i - 1].title) != 0)
        fprintf(out, "## %s\n\n", choice->title);
    fprintf(out, "### `%s`\n\n%c%s.%s\n\n", choice->item->name, toupper(choice->item->description[0]),
            choice->item->description + 1, choice->item->quick ? "" : " (Slow: not in `--quick`.)");
    if (choice->item->known)
        fprintf(out, "%s\n\n", choice->item->known);
}

static void printSummary(const Run *run)
{
    printf("# Validation\n\n"
           "`build/tallow verify --markdown > docs/validation.md` writes this page. The words beside a case live\n"
           "with the case in `native/cli/verify_*.c`. Each case is a small scene whose result is known. It runs\n"
           "through the public interface. A row misses when its error is above its limit.\n\n"
           "Version %s: %d of %d cases pass.",
           tlwGetVersion(), run->count - countFailures(run), run->count);
    for (int i = 0, told = 0; i < run->count; i++)
        if (run->failed[i])
            printf("%s [`%s`](#%s)", told++ ? "," : " These miss a limit:", run->chosen[i].item->name,
                   run->chosen[i].item->name);
    printf("\n\n");
}

// The page begins with a summary that is known only at the end, so sections first go to a temporary file.
static bool printPage(Run *run, bool list)
{
    run->page = tmpfile();
    if (!run->page)
        return false;
    for (int i = 0; i < run->count; i++) {
        printSection(run->page, run, i);
        if (list)
            continue;
        fprintf(stderr, "%s\n", run->chosen[i].item->name);
        runInProcess(run, i);
    }
    if (!list)
        printSummary(run);
    rewind(run->page);
    for (int c; (c = getc(run->page)) != EOF;)
        putchar(c);
    fclose(run->page);
    return true;
}

static void chooseNamed(Run *run, tlwArgs *args)
{
    for (const char *name; run->count < MOST_CASES && (name = tlwTakeWord(args));) {
        run->chosen[run->count] = findCase(name);
        if (run->chosen[run->count].item) {
            run->count++;
        } else {
            tlwComplain("There is no case \"%s\"; `tallow verify --list` shows them.", name);
            args->bad = true;
        }
    }
}

int tlwRunVerify(tlwArgs *args)
{
    bool json = tlwTakeFlag(args, "--json"), markdown = tlwTakeFlag(args, "--markdown");
    bool quick = tlwTakeFlag(args, "--quick"), list = tlwTakeFlag(args, "--list");
    Run run = {.style = json ? TLW_REPORT_JSON : markdown ? TLW_REPORT_MARKDOWN : TLW_REPORT_TEXT};
    run.threads = tlwTakeInteger(args, "--threads", 0, 1024, 0);
    chooseNamed(&run, args);
    if (!tlwCheckArgs(args, "verify"))
        return TLW_EXIT_USAGE;
    if (run.count == 0)
        chooseAll(&run, quick);
    if (run.style == TLW_REPORT_MARKDOWN) {
        if (!printPage(&run, list)) {
            tlwComplain("There is no place for a temporary file.");
            return TLW_EXIT_ERROR;
        }
        return countFailures(&run) ? TLW_EXIT_ERROR : TLW_EXIT_OK;
    }
    if (list) {
        listCases(&run);
        return TLW_EXIT_OK;
    }
    for (int i = 0; i < run.count; i++)
        runInProcess(&run, i);
    int failed = countFailures(&run);
    printf(json ? "{\"passed\": %d, \"failed\": %d}\n" : "%d passed, %d failed\n", run.count - failed, failed);
    return failed ? TLW_EXIT_ERROR : TLW_EXIT_OK;
}
