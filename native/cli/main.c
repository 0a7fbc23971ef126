// tallow: bakes, checks and measures from the command line, through the public API of libtallow.
#include "cli.h"

#include <stdio.h>
#include <string.h>

typedef struct Command {
    const char *name;
    int (*run)(tlwArgs *args);
    const char *summary;
    const char *help;
} Command;

static const Command commands[] = {
    {"bake", tlwRunBake, "simulate a scene folder and write a cache folder",
     "tallow bake SCENE --out CACHE [--frames A-B] [--threads N] [--resume | --from N] [--json]\n"
     "\n"
     "Simulates the scene folder SCENE and writes its frames into CACHE, which is made when it is\n"
     "missing. Without --resume an older bake in CACHE is replaced. Ctrl-C stops after the present\n"
     "substep; finished frames stay, and --resume goes on from the last checkpoint.\n"
     "\n"
     "  --out CACHE    folder for the result\n"
     "  --frames A-B   only these frames are written (the simulation still starts at the first)\n"
     "  --threads N    worker threads; the result is the same for any number. 0 = one per core\n"
     "  --resume       go on after the last checkpoint when the scene is the same\n"
     "  --from N       bake again after the last kept checkpoint up to frame N, with other world values,\n"
     "                 heaters, inflows or solver settings; refused when meshes, cells or materials changed\n"
     "  --json         one JSON object per event on standard output (docs/scene-format.md)\n"},
    {"mesh", tlwRunMesh, "mesh the frames of a cache again, without simulating",
     "tallow mesh SCENE --out CACHE [--detail N] [--smoothing N] [--frames A-B] [--threads N] [--json]\n"
     "\n"
     "Meshes the frames of CACHE, which was baked from the scene folder SCENE, with another detail or\n"
     "smoothing. Frames need their surface_*.vdb and their old mesh. Each mesh is replaced.\n"
     "\n"
     "  --out CACHE    folder of the bake\n"
     "  --detail N     1, or 2 for four times the triangles; the scene's if not given\n"
     "  --smoothing N  rounds, 0 to 20; the scene's if not given\n"
     "  --frames A-B   only these frames\n"
     "  --threads N    worker threads; the result is the same for any number. 0 = one per core\n"
     "  --json         one JSON object per event on standard output (docs/scene-format.md)\n"},
    {"info", tlwRunInfo, "say what is in a scene, a cache or a file of one",
     "tallow info PATH...\n"
     "\n"
     "PATH is a scene folder, a cache folder, or a .ply, .vdb or .tlw file.\n"},
    {"verify", tlwRunVerify, "compare the physics with known results",
     "tallow verify [NAME...] [--quick] [--list] [--threads N] [--json | --markdown]\n"
     "\n"
     "Runs small scenes whose result is known and prints what was measured, the reference, the\n"
     "error and its limit. Ends with 1 when a case fails. Without a NAME all cases run.\n"
     "\n"
     "  --list         names and descriptions only\n"
     "  --quick        only the cases that take seconds\n"
     "  --threads N    worker threads, 0 = one per core\n"
     "  --json         one JSON object per case and line\n"
     "  --markdown     docs/validation.md: results and what is known of each case\n"},
    {"bench", tlwRunBench, "measure the speed",
     "tallow bench [NAME...] [--resolution N] [--frames N] [--threads N] [--warm-up N] [--scaling] [--list] [--json]\n"
     "\n"
     "Runs the performance scenes and prints seconds per frame and stage, iterations, cells,\n"
     "particles and peak memory. Each runs in a process of its own. Without a NAME all run.\n"
     "\n"
     "  --resolution N cells along the longest side, instead of each scene's own\n"
     "  --frames N     frames to run\n"
     "  --warm-up N    frames before those that are measured, 1 if not given\n"
     "  --threads N    worker threads, 0 = one per core\n"
     "  --scaling      one thread beside two: the stages above a twentieth of the step\n"
     "  --list         names and descriptions only\n"
     "  --json         one JSON object per scene and line\n"},
    {"melt", tlwRunMelt, "find the heat speed-up that melts a scene in time",
     "tallow melt SCENE [--frame N] [--share S] [--cells N] [--threads N] [--json]\n"
     "\n"
     "Simulates heat, then heat with flow, on a coarse copy of the scene folder SCENE, and prints the\n"
     "thermal_speed that melts the share S by frame N. Where losses win, says how much stronger the\n"
     "heaters would have to be.\n"
     "\n"
     "  --frame N      by this frame; the scene's last if not given\n"
     "  --share S      0 to 1, 0.95 if not given\n"
     "  --cells N      along the domain's longest side, 18 if not given\n"
     "  --threads N    worker threads, 0 = one per core\n"
     "  --json         one JSON object\n"},
    {"defaults", tlwRunDefaults, "print what a scene has where it says nothing",
     "tallow defaults\n\nPrints one JSON object: the defaults of scenes, materials, objects and forces.\n"},
};

static const Command *findCommand(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static void printOverview(FILE *out)
{
    fprintf(out, "Tallow %s melts things: heat, viscosity from water to stone, and rigid bodies.\n\n", tlwGetVersion());
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(out, "  tallow %-8s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "  tallow %-8s %s\n", "help", "more about a command: tallow help bake");
    fprintf(out, "  tallow --version\n\n");
    fprintf(out,
            "Ends with 0 when all went well, 1 after an error, 2 when it was called wrongly, 130 when cancelled.\n");
}

static int runHelp(const char *name)
{
    const Command *command = name ? findCommand(name) : NULL;
    if (name && !command) {
        tlwComplain("There is no command \"%s\".", name);
        printOverview(stderr);
        return TLW_EXIT_USAGE;
    }
    if (command)
        fputs(command->help, stdout);
    else
        printOverview(stdout);
    return TLW_EXIT_OK;
}

int main(int argc, char **argv)
{
    if (tlwGetAbiVersion() != TLW_ABI_VERSION) {
        tlwComplain("This command and its library are of different versions; install them together.");
        return TLW_EXIT_ERROR;
    }
    const char *name = argc > 1 ? argv[1] : "help";
    if (!strcmp(name, "--version") || !strcmp(name, "version")) {
        printf("tallow %s\n", tlwGetVersion());
        return TLW_EXIT_OK;
    }
    if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
        return runHelp(argc > 2 ? argv[2] : NULL);
    const Command *command = findCommand(name);
    if (!command)
        return runHelp(name);
    tlwArgs args = {.count = argc - 2, .values = argv + 2};
    if (tlwTakeFlag(&args, "--help") || tlwTakeFlag(&args, "-h"))
        return runHelp(name);
    int code = command->run(&args);
    if (fflush(stdout) != 0 && code == TLW_EXIT_OK) {
        tlwComplain("The output could not be written.");
        code = TLW_EXIT_ERROR;
    }
    return code;
}
