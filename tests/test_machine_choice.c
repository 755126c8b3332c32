/* Tests which machine description is chosen for a device. The devices are real GPUs of Intel, AMD
 * and NVIDIA, described by what each driver reports. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "model/access.h"
#include "model/machine_file.h"

/* id, name: from Mesa's include/pci_ids/iris_pci_ids.h, and from devices_base.inl in
 * shared/source/dll/devices/ of intel/compute-runtime. architecture, release: the hardware version,
 * from third_party/aot_config_headers/platforms.h of compute-runtime. old_release: the release in
 * another numbering, which drivers reported until 2023. */
static const struct {
    unsigned id, architecture, release, old_release;
    const char *name, *machine;
} intel[] = {
    {0x1616, 8, 0, 0, "Mesa Intel(R) HD Graphics 5500 (BDW GT2)", "intel-gen9"},
    {0x1622, 8, 0, 0, "Mesa Intel(R) Iris(R) Pro Graphics 6200 (BDW GT3)", "intel-gen9"},
    {0x1912, 9, 0, 0, "Intel(R) HD Graphics 530", "intel-gen9"},
    {0x1916, 9, 0, 0, "Intel(R) HD Graphics 520", "intel-gen9"},
    {0x193b, 9, 0, 0, "Mesa Intel(R) Iris(R) Pro Graphics 580 (SKL GT4)", "intel-gen9"},
    {0x5a85, 9, 3, 0, "Mesa Intel(R) HD Graphics 500 (APL 2)", "intel-gen9"},
    {0x3184, 9, 4, 0, "Intel(R) UHD Graphics 605", "intel-gen9"},
    {0x5917, 9, 1, 0, "Intel(R) UHD Graphics 620", "intel-gen9"},
    {0x5926, 9, 1, 0, "Intel(R) Iris(R) Plus Graphics 640", "intel-gen9"},
    {0x3e92, 9, 2, 0, "Intel(R) UHD Graphics 630", "intel-gen9"},
    {0x3ea0, 9, 5, 0, "Mesa Intel(R) UHD Graphics 620 (WHL GT2)", "intel-gen9"},
    {0x9bc5, 9, 7, 0, "Intel(R) UHD Graphics 630", "intel-gen9"},
    {0x8a52, 11, 0, 0, "Mesa Intel(R) Iris(R) Plus Graphics (ICL GT2)", "intel-gen11"},
    {0x8a56, 11, 0, 0, "Intel(R) Gen11 HD Graphics NEO", "intel-gen11"},
    {0x4571, 11, 2, 0, "Mesa Intel(R) UHD Graphics (EHL)", "intel-gen11"},
    {0x4e61, 11, 2, 0, "Mesa Intel(R) UHD Graphics (JSL)", "intel-gen11"},
    {0x9a49, 12, 0, 0, "Intel(R) Iris(R) Xe Graphics", "intel-xe-lp"},
    {0x4c8a, 12, 1, 0, "Intel(R) UHD Graphics 750", "intel-xe-lp"},
    {0x4680, 12, 2, 0, "Intel(R) UHD Graphics 770", "intel-xe-lp"},
    {0x46a6, 12, 3, 0, "Intel(R) Iris(R) Xe Graphics", "intel-xe-lp"},
    {0x46d1, 12, 4, 0, "Mesa Intel(R) Graphics (ADL-N)", "intel-xe-lp"},
    {0xa780, 12, 2, 0, "Intel(R) UHD Graphics 770", "intel-xe-lp"},
    {0xa7a0, 12, 3, 0, "Intel(R) Iris(R) Xe Graphics", "intel-xe-lp"},
    {0x4905, 12, 10, 0, "Intel(R) Iris(R) Xe MAX Graphics", "intel-xe-lp"},
    {0x56a0, 12, 55, 7, "Intel(R) Arc(TM) A770 Graphics", "intel-xe-hpg"},
    {0x56a5, 12, 56, 7, "Mesa Intel(R) Arc(tm) A380 Graphics (DG2)", "intel-xe-hpg"},
    {0x56b3, 12, 57, 7, "Intel(R) Arc(TM) Pro A60 Graphics", "intel-xe-hpg"},
    {0x56c0, 12, 55, 7, "Intel(R) Data Center GPU Flex 170", "intel-xe-hpg"},
    {0x7d55, 12, 71, 7, "Mesa Intel(R) Arc(tm) Graphics (MTL)", "intel-xe-hpg"},
    {0x7d51, 12, 74, 7, "Mesa Intel(R) Graphics (ARL)", "intel-xe-hpg"},
    {0x0bd5, 12, 60, 8, "Intel(R) Data Center GPU Max 1550", "intel-xe-hpc"},
    {0x0bda, 12, 60, 8, "Intel(R) Data Center GPU Max 1100", "intel-xe-hpc"},
    {0x0bd4, 12, 61, 8, "Intel(R) Data Center GPU Max 1550VG", "intel-xe-hpc"},
    {0x64a0, 20, 4, 4, "Intel(R) Arc(TM) 140V GPU (16GB)", "intel-xe2"},
    {0xe20b, 20, 1, 1, "Intel(R) Arc(TM) B580 Graphics", "intel-xe2"},
    {0xe20c, 20, 1, 1, "Intel(R) Arc(TM) B570 Graphics", "intel-xe2"},
};
enum { INTEL = sizeof intel / sizeof intel[0] };

/* name, board: what ROCm reports (llvm.org/docs/AMDGPUUsage.html, "Processors"). mesa: the name
 * that Mesa reports. gfx: the architecture without its stepping. "" means that the driver reports
 * no such text. */
static const struct {
    const char *name, *mesa, *board, *gfx, *machine;
} amd[] = {
    {"gfx1030", "AMD Radeon RX 6800 XT (radeonsi, navi21, LLVM 15.0.7)", "AMD Radeon RX 6800 XT",
     "gfx103", "amd-rdna2"},
    {"gfx1031", "AMD Radeon RX 6700 XT (radeonsi, navi22, LLVM 15.0.7)", "AMD Radeon RX 6700 XT",
     "gfx103", "amd-rdna2"},
    {"gfx1032", "AMD Radeon RX 6600 (radeonsi, navi23, LLVM 15.0.7)", "AMD Radeon RX 6600",
     "gfx103", "amd-rdna2"},
    {"gfx1034", "AMD Radeon RX 6400 (radeonsi, navi24, LLVM 15.0.7)", "AMD Radeon RX 6400",
     "gfx103", "amd-rdna2"},
    {"gfx1100", "AMD Radeon RX 7900 XTX (radeonsi, navi31, LLVM 17.0.6)", "AMD Radeon RX 7900 XTX",
     "gfx110", "amd-rdna3"},
    {"gfx1101", "AMD Radeon RX 7800 XT (radeonsi, navi32, LLVM 17.0.6)", "AMD Radeon RX 7800 XT",
     "gfx110", "amd-rdna3"},
    {"gfx1102", "AMD Radeon RX 7600 (radeonsi, navi33, LLVM 17.0.6)", "AMD Radeon RX 7600",
     "gfx110", "amd-rdna3"},
    {"gfx1103", "AMD Radeon 780M (radeonsi, phoenix, LLVM 17.0.6)", "", "gfx110", "amd-rdna3"},
    {"gfx1151", "AMD Radeon 8060S (radeonsi, strix_halo, LLVM 19.1.7)", "", "gfx115", "amd-rdna3"},
    {"gfx1200", "AMD Radeon RX 9060 XT (radeonsi, navi44, LLVM 20.1.2)", "AMD Radeon RX 9060 XT",
     "gfx120", "amd-rdna4"},
    {"gfx1201", "AMD Radeon RX 9070 XT (radeonsi, navi48, LLVM 20.1.2)", "AMD Radeon RX 9070 XT",
     "gfx120", "amd-rdna4"},
    {"gfx90a:sramecc+:xnack-", "", "AMD Instinct MI210", "", "amd-cdna2"},
    {"gfx90a", "", "AMD Instinct MI250X", "", "amd-cdna2"},
    {"gfx942:sramecc+:xnack-", "", "AMD Instinct MI300X", "gfx94", "amd-cdna3"},
    {"gfx942", "", "AMD Instinct MI325X", "gfx94", "amd-cdna3"},
    {"gfx950:sramecc+:xnack-", "", "AMD Instinct MI350X", "gfx95", "amd-cdna4"},
    {"gfx950", "", "AMD Instinct MI355X", "gfx95", "amd-cdna4"},
};

/* capability: from NVIDIA's page "CUDA GPU Compute Capability" (developer.nvidia.com/cuda-gpus), 10
 * times the version. */
static const struct {
    const char *name;
    unsigned capability;
    const char *machine;
} nvidia[] = {
    {"Tesla V100-SXM2-16GB", 70, "nvidia-volta"},
    {"Tesla T4", 75, "nvidia-turing"},
    {"NVIDIA GeForce RTX 2080 Ti", 75, "nvidia-turing"},
    {"NVIDIA GeForce GTX 1650", 75, "nvidia-turing"},
    {"NVIDIA A100-SXM4-80GB", 80, "nvidia-ampere"},
    {"NVIDIA A30", 80, "nvidia-ampere"},
    {"NVIDIA A40", 86, "nvidia-ga10x"},
    {"NVIDIA RTX A6000", 86, "nvidia-ga10x"},
    {"NVIDIA GeForce RTX 3090", 86, "nvidia-ga10x"},
    {"Orin", 87, "nvidia-ga10x"},
    {"NVIDIA L40", 89, "nvidia-ada"},
    {"NVIDIA L4", 89, "nvidia-ada"},
    {"NVIDIA GeForce RTX 4090", 89, "nvidia-ada"},
    {"NVIDIA H100 80GB HBM3", 90, "nvidia-h100"},
    {"NVIDIA H100 PCIe", 90, "nvidia-hopper"},
    {"NVIDIA H100 NVL", 90, "nvidia-hopper"},
    {"NVIDIA H200", 90, "nvidia-hopper"},
    {"NVIDIA B200", 100, "nvidia-blackwell"},
    {"NVIDIA B300 SXM6 AC", 103, "nvidia-blackwell"},
    {"NVIDIA GeForce RTX 5090", 120, "nvidia-blackwell-rtx"},
    {"NVIDIA GB10", 121, "nvidia-blackwell-rtx"},
};
enum {
    AMD = sizeof amd / sizeof amd[0],
    NVIDIA = sizeof nvidia / sizeof nvidia[0],
};
_Static_assert(INTEL + AMD + NVIDIA >= 60, "a list of at least 60 real devices");

static const char *chosen(struct bl_device_kind kind) { return bl_machine_for(&kind)->name; }

static struct bl_device_kind gpu(unsigned vendor)
{
    return (struct bl_device_kind){.type = BL_DEVICE_GPU, .vendor_id = vendor};
}

Test(machine_choice, a_version_or_an_id_or_a_name_selects_the_machine_of_an_intel_generation)
{
    for (size_t i = 0; i < INTEL; i++) {
        const char *const right = intel[i].machine;
        struct bl_device_kind kind = gpu(0x8086);
        kind.ip_version = BL_IP_VERSION(intel[i].architecture, intel[i].release);
        cr_assert_str_eq(chosen(kind), right, "%s by version", intel[i].name);
        kind.ip_version = BL_IP_VERSION(intel[i].architecture, intel[i].old_release);
        cr_assert_str_eq(chosen(kind), right, "%s by an old driver's version", intel[i].name);
        kind = gpu(0x8086);
        kind.device_id = intel[i].id;
        cr_assert_str_eq(chosen(kind), right, "%s by id %#x", intel[i].name, intel[i].id);
        kind = gpu(0x8086);
        kind.name = intel[i].name;
        cr_assert_str_eq(chosen(kind), right, "%s by name", intel[i].name);
        kind.device_id = intel[i].id;
        kind.ip_version = BL_IP_VERSION(intel[i].architecture, intel[i].release);
        cr_assert_str_eq(chosen(kind), right, "%s by version, id and name", intel[i].name);
    }
}

Test(machine_choice, each_name_of_an_amd_gpu_selects_the_machine_of_its_generation)
{
    for (size_t i = 0; i < AMD; i++) {
        const char *const right = amd[i].machine;
        struct bl_device_kind kind = gpu(0x1002);
        kind.name = amd[i].name;
        cr_assert_str_eq(chosen(kind), right, "%s", amd[i].name);
        kind.name = amd[i].mesa;
        cr_assert_str_eq(chosen(kind), *amd[i].mesa ? right : "amd", "%s", amd[i].mesa);
        kind = gpu(0x1002);
        kind.board = amd[i].board;
        cr_assert_str_eq(chosen(kind), *amd[i].board ? right : "amd", "%s", amd[i].board);
        kind = gpu(0x1002);
        kind.gfx = amd[i].gfx;
        cr_assert_str_eq(chosen(kind), *amd[i].gfx ? right : "amd", "%s", amd[i].gfx);
    }
    static const char *const others[] = {"gfx803",  "gfx900",  "gfx906", "gfx908",
                                         "gfx1010", "gfx1310", "gfx9"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct bl_device_kind kind = gpu(0x1002);
        kind.name = others[i];
        cr_assert_str_eq(chosen(kind), "amd", "%s", others[i]);
    }
    struct bl_device_kind kind = gpu(0x1002);
    kind.name = "AMD Radeon RX 640 (radeonsi, polaris12, LLVM 15.0.7)";
    cr_assert_str_eq(chosen(kind), "amd");
}

Test(machine_choice, the_compute_capability_selects_the_machine_of_an_nvidia_generation)
{
    for (size_t i = 0; i < NVIDIA; i++) {
        struct bl_device_kind kind = gpu(0x10de);
        kind.name = nvidia[i].name;
        cr_assert_str_eq(chosen(kind), "nvidia-other", "a name alone identifies no generation");
        kind.capability = nvidia[i].capability;
        cr_assert_str_eq(chosen(kind), nvidia[i].machine, "%s", nvidia[i].name);
    }
    struct bl_device_kind kind = gpu(0x10de);
    static const unsigned others[] = {61, 69, 73, 74, 76, 79, 81, 85, 88, 91, 99, 130};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        kind.capability = others[i];
        cr_assert_str_eq(chosen(kind), "nvidia-other", "%u", others[i]);
    }
}

Test(machine_choice, an_intel_gpu_of_an_unknown_generation_gets_no_machine_with_rules)
{
    struct bl_device_kind kind = gpu(0x8086);
    cr_assert_str_eq(chosen(kind), "intel-other", "nothing is known about the device");
    kind.name = "Intel(R) Arc(TM) B390 GPU";
    kind.device_id = 0xb080;
    kind.ip_version = BL_IP_VERSION(30, 0);
    cr_assert_str_eq(chosen(kind), "intel-other", "Panther Lake is Xe3, which has no machine");
    kind.ip_version = 0;
    cr_assert_str_eq(chosen(kind), "intel-other", "neither its id nor its name is one of Xe2");
    kind = gpu(0x8086);
    kind.name = "Intel(R) HD Graphics 4600";
    cr_assert_str_eq(chosen(kind), "intel-other", "Haswell is Gen7.5, which has no machine");
    kind.name = "Intel(R) Iris(R) Pro Graphics 5200";
    cr_assert_str_eq(chosen(kind), "intel-other");
    cr_assert_not(bl_machine_for(&kind)->has_rule);
}

Test(machine_choice, a_version_overrides_an_id_and_an_id_overrides_a_name)
{
    struct bl_device_kind kind = gpu(0x8086);
    kind.name = "Intel(R) Arc(TM) A770 Graphics";
    kind.device_id = 0xe20b;
    cr_assert_str_eq(chosen(kind), "intel-xe2");
    kind.ip_version = BL_IP_VERSION(12, 60);
    cr_assert_str_eq(chosen(kind), "intel-xe-hpc");
    kind.ip_version = BL_IP_VERSION(12, 54);
    cr_assert_str_eq(chosen(kind), "intel-other", "the versions of Xe-HPG begin at 12.55");
    kind.ip_version = BL_IP_VERSION(12, 58);
    cr_assert_str_eq(chosen(kind), "intel-other",
                     "the versions of Xe-HPG below 12.60 end at 12.57");
    kind = gpu(0x1002);
    kind.name = "Intel(R) Arc(TM) A770 Graphics";
    kind.device_id = 0x56a0;
    cr_assert_str_neq(chosen(kind), "intel-xe-hpg", "the id is Intel's, but the vendor is AMD");
}

Test(machine_choice, type_and_vendor_decide_if_nothing_else_is_known)
{
    struct bl_device_kind cpu = gpu(0x8086);
    cpu.type = BL_DEVICE_CPU;
    cpu.name = "Intel(R) Iris(R) Xe Graphics";
    cr_assert_str_eq(chosen(cpu), "cpu");
    cr_assert_str_eq(chosen(gpu(0x10de)), "nvidia-other");
    cr_assert_str_eq(chosen(gpu(0x1002)), "amd");
    cr_assert_str_eq(chosen(gpu(0x5143)), "unknown");
    struct bl_device_kind other = gpu(0x5143);
    other.type = BL_DEVICE_OTHER;
    cr_assert_str_eq(chosen(other), "unknown");
}

/* The number of words of `bytes` bytes that the busiest of `banks` banks must deliver, counted in
 * the simplest way, without the model's code. */
static unsigned busiest(const uint64_t addresses[], unsigned lanes, unsigned banks, unsigned bytes)
{
    unsigned busiest = 0;
    for (unsigned bank = 0; bank < banks; bank++) {
        unsigned words = 0;
        for (unsigned lane = 0; lane < lanes; lane++) {
            const uint64_t word = addresses[lane] / bytes;
            bool is_new = word % banks == bank;
            for (unsigned before = 0; before < lane; before++)
                is_new &= addresses[before] / bytes != word;
            words += is_new;
        }
        busiest = words > busiest ? words : busiest;
    }
    return busiest;
}

Test(machine_choice, the_number_of_banks_need_not_be_a_power_of_two)
{
    const struct bl_machine *found;
    cr_assert_eq(bl_machine_find("intel-gen9", &found, NULL), BL_OK);
    struct bl_machine machine = *found;
    static const unsigned counts[] = {1, 3, 16, 17, 24, 64, 65, 255, BL_MAX_BANKS};
    static const uint64_t bases[] = {0, 520, 4 * 12345, UINT64_MAX / 8 * 4};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (machine.bank_bytes = 4; machine.bank_bytes <= 8; machine.bank_bytes *= 2)
            for (unsigned i = 0; i < 4 * 130; i++) {
                uint64_t addresses[32];
                machine.banks = counts[c];
                for (unsigned lane = 0; lane < 32; lane++)
                    addresses[lane] = bases[i % 4] + (uint64_t)lane * (i / 4) * 4;
                const struct bl_request request = {BL_MEMORY_LOCAL, false, 4, 32, addresses, false};
                struct bl_cost cost;
                cr_assert_eq(bl_cost_of(&machine, &request, &cost), BL_OK);
                cr_assert_eq(cost.clocks, busiest(addresses, 32, counts[c], machine.bank_bytes),
                             "%u banks of %u bytes, stride %u", counts[c], machine.bank_bytes,
                             i / 4);
            }
}

Test(machine_choice, a_request_has_a_cost_if_it_is_the_same_for_all_possible_banks)
{
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    unsigned unknown = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned alternatives = bl_machine_alternatives(&all[i]);
        if (!alternatives || !all[i].has_rule)
            continue;
        unknown++;
        cr_assert_eq(alternatives, 6, "%s", all[i].name);
        for (unsigned stride = 0; stride <= 64; stride++) {
            uint64_t addresses[16];
            for (unsigned lane = 0; lane < 16; lane++)
                addresses[lane] = 4 * (uint64_t)lane * stride;
            struct bl_request request = {BL_MEMORY_LOCAL, false, 4, 16, addresses, false};
            unsigned clocks[6];
            bool agree = true;
            for (unsigned a = 0; a < alternatives; a++) {
                const struct bl_banks banks = all[i].banks_alternatives[a];
                clocks[a] = busiest(addresses, 16, banks.count, banks.bytes);
                agree &= clocks[a] == clocks[0];
            }
            struct bl_cost cost;
            const enum bl_status status = bl_cost_of(&all[i], &request, &cost);
            cr_assert_eq(status, agree ? BL_OK : BL_BAD_MACHINE, "stride %u", stride);
            if (agree)
                cr_assert_eq(cost.clocks, clocks[0], "stride %u", stride);
            request.memory = BL_MEMORY_GLOBAL;
            cr_assert_eq(bl_cost_of(&all[i], &request, &cost), BL_OK,
                         "banks do not affect global memory");
        }
        cr_assert_eq(bl_why_no_cost(&all[i], BL_MEMORY_LOCAL, false), bl_banks_are_unknown);
        cr_assert_neq(bl_why_no_cost(&all[i], BL_MEMORY_LOCAL, true), bl_banks_are_unknown);
        cr_assert_neq(bl_why_no_cost(&all[i], BL_MEMORY_GLOBAL, false), bl_banks_are_unknown);
    }
    cr_assert_geq(unknown, 5, "the banks of Intel's five generations after Gen9 are unknown");
}

/* rests_on lists the kinds of evidence for a machine's rules. `bankline` prints these words. */
Test(machine_choice, each_machine_states_its_evidence)
{
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    for (size_t i = 0; i < count; i++) {
        char text[sizeof all[i].rests_on], *rest = text;
        strcpy(text, all[i].rests_on);
        cr_assert(*text, "%s", all[i].name);
        for (char *word; (word = strtok_r(rest, ",", &rest));) {
            word += strspn(word, " ");
            cr_assert(strcmp(word, "measured here") == 0 || strcmp(word, "published") == 0 ||
                          strcmp(word, "documents") == 0 || strcmp(word, "hypotheses") == 0,
                      "%s: '%s'", all[i].name, word);
        }
    }
}
