// A plugin of Oclgrind that sends bankline the addresses that a program's kernels access (wire.h).
// It knows nothing about machines or costs. This file and the other oclgrind_*.cc are C++ because
// Oclgrind's interface is C++. Build it with -fno-rtti, like Oclgrind's LLVM; otherwise the type
// information of Oclgrind's classes is missing.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include <oclgrind/Plugin.h>

#include <oclgrind/Context.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Memory.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>

#include "trace/llvm_c.hpp"
#include "trace/oclgrind_flow.hpp"
#include "trace/oclgrind_groups.hpp"
#include "trace/oclgrind_intrinsics.hpp"
#include "trace/oclgrind_kernel.hpp"
#include "trace/oclgrind_names.hpp"
#include "trace/oclgrind_native.hpp"
#include "trace/oclgrind_work.hpp"
#include "trace/pace.h"
#include "trace/pipe_end.h"

namespace
{
constexpr size_t recordsOfBuffer = 4096;

Native native; // one for all contexts, because it limits what all launches together take

class Tracer : public oclgrind::Plugin
{
public:
    Tracer(const oclgrind::Context *context, const bl_pipe_end &pipe)
        : Plugin(context), m_pipe(pipe)
    {
        const char *limit = getenv(BL_WIRE_LIMIT);
        m_limit = limit ? strtoull(limit, nullptr, 10) : UINT64_MAX;
        beginProcess();
        flush();
    }

    ~Tracer() override
    {
        put({BL_WIRE_END, 0, 0, 0, 0, 0, 0});
        flush();
        bl_pipe_end_close(&m_pipe);
    }

    bool isThreadSafe() const override { return false; }

    void forget(const oclgrind::Context *context)
    {
        const std::lock_guard<std::recursive_mutex> guard(m_launch);
        m_seen.erase(context);
    }

    // Called by each host thread that launches kernels or creates contexts. If there are several,
    // their number is reported at once, or with the next records of a launch that another thread is
    // writing: with several threads, Oclgrind may crash at any moment.
    void noteThread()
    {
        {
            const std::lock_guard<std::mutex> guard(m_threadsLock);
            m_threads.insert(std::this_thread::get_id());
            m_threadCount = m_threads.size();
        }
        if (m_launch.try_lock()) {
            flush();
            m_launch.unlock();
        }
    }

    // Launches of several host threads, each with its own context, take turns, because Oclgrind
    // counts the groups of the current launch in a variable of the whole process. Launches of
    // several processes take turns too, because they share one pipe.
    void kernelBegin(const oclgrind::KernelInvocation *invocation) override
    {
        noteThread();
        m_launch.lock();
        beginRecords();
        const uint64_t began_ns = bl_pace_now_ns();
        const bool isFirstOfContext = m_seen.insert(invocation->getContext()).second;
        const uint64_t isIdle = m_lanes > 0 && isFirstOfContext ? BL_WIRE_IDLE : 0;
        const oclgrind::Kernel *kernel = invocation->getKernel();
        const oclgrind::Program *built = kernel->getProgram();
        const bool isFastMath =
            built->getBuildOptions().find("-cl-fast-relaxed-math") != std::string::npos;
        const uint32_t program = programOf(built);
        m_instructions = &m_instructionsOf[built->getUID()];
        m_flow.useProgram(built->getUID());
        m_work.useProgram(built->getUID(), isFastMath);
        m_last = nullptr;
        bl_wire_kernel told = {};
        const oclgrind::Size3 global = invocation->getGlobalSize(),
                              local = invocation->getLocalSize(),
                              groups = invocation->getNumGroups();
        for (unsigned i = 0; i < 3; i++)
            told.global[i] = global[i], told.local[i] = local[i], told.groups[i] = groups[i];
        std::string text(reinterpret_cast<const char *>(&told), sizeof told);
        bl_wire_host_work work = {};
        const uint64_t value = launchBegins(kernel->getName(), &work) | isIdle;
        work.copied += m_initial.takeOf(*kernel);
        if (m_lanes > 0 && (work.copied > 0 || work.computed_ns > 0))
            put({BL_WIRE_HOST_WORK, 0, 0, 0, 0, work.computed_ns, work.copied});
        putText({BL_WIRE_KERNEL, 0, 0, 0, program, 0, value}, text + kernel->getName());
        m_groups = 0;
        m_numGroups = groups;
        m_allGroups = groups.x * groups.y * groups.z;
        const std::string name = std::to_string(program) + " " + kernel->getName();
        m_isQuick = isQuick(getenv(BL_WIRE_QUICK)); // before begin, which may change the variable
        m_chosen.begin(groups, !m_kernels.insert(name).second, began_ns);
        if (m_wantsQuick)
            m_chosen.runChosenFirst(invocation);
        if (m_isQuick && m_chosen.mayLeaveOut() && !m_chosen.isLate())
            native.begin(invocation);
    }

    void kernelEnd(const oclgrind::KernelInvocation *invocation) override
    {
        const bool isPartial = m_isQuick && m_groups > 0 && m_groups < m_allGroups &&
                               !native.run(invocation, m_chosen.executedByAll());
        const bl_wire_skipped skipped = !isPartial     ? BL_WIRE_RAN_ALL
                                        : m_wantsQuick ? BL_WIRE_QUICK_LEFT_OUT
                                                       : BL_WIRE_SHORTENED;
        // If only some groups ran, the skipped groups count as run.
        put({BL_WIRE_KERNEL_END, 0, 0, 0, skipped, 0, m_isQuick ? m_allGroups : m_groups});
        m_sampled = false;
        m_chosen.end(), native.end();
        endRecords();
        m_launch.unlock();
    }

    void workGroupBegin(const oclgrind::WorkGroup *group) override
    {
        m_groups++;
        const oclgrind::Size3 size = group->getGroupSize();
        // Oclgrind's own group index is not used: it assumes as many groups along y as along x.
        const oclgrind::Size3 id = group->getGroupID();
        m_group = id.x + m_numGroups.x * (id.y + m_numGroups.y * id.z);
        if (!m_wantsQuick)
            m_chosen.keepPace();
        m_sampled = m_chosen.has(m_group);
        m_chosen.beginGroup(size, m_sampled);
        if (!m_sampled)
            return;
        const size_t items = size.x * size.y * size.z;
        m_groupSize = size;
        m_item = nullptr, m_toldItem = SIZE_MAX, m_isImage = m_prints = false;
        m_toldPosition = m_toldCompiled = m_images = m_leftOut = m_leftOutWork = 0;
        m_flow.beginGroup(items), m_work.beginGroup(items, std::max<size_t>(1, m_lanes));
        m_ofItem.assign(items, 0), m_limitOfItem = m_limit / items + 1, m_recorded = 0;
        m_share = static_cast<uint32_t>(std::min<uint64_t>(m_limitOfItem, UINT32_MAX));
        const uint64_t local = group->getLocalMemory()->getTotalAllocated();
        put({BL_WIRE_GROUP, 0, 0, 0, static_cast<uint32_t>(items), local, m_group});
    }

    void workGroupComplete(const oclgrind::WorkGroup *) override
    {
        m_chosen.complete();
        if (m_sampled)
            endGroup();
        if (m_lanes > 0)
            put({BL_WIRE_RAN, 0, 0, 0, 0, m_chosen.work(m_lanes), m_group});
    }

    void workGroupBarrier(const oclgrind::WorkGroup *, uint32_t) override
    {
        if (!m_sampled)
            return;
        m_flow.meet(), m_work.meet();
        if (m_leftOut > 0) // recording stops
            m_limitOfItem = 0;
        put({BL_WIRE_BARRIER, 0, 0, 0, 0, 0, 0});
    }

    void instructionExecuted(const oclgrind::WorkItem *item, const llvm::Instruction *instruction,
                             const oclgrind::TypedValue &) override
    {
        m_chosen.executed(item);
        if (!m_sampled)
            return;
        if (item != m_item)
            chooseItem(item);
        m_flow.executed(instruction);
        if (m_lanes > 0 && instruction != m_accessed) {
            tellWaits(instruction);
            m_work.executed(instruction, m_flow.compiled());
        }
        m_accessed = nullptr;
        m_images += m_isImage; // counted once, although Oclgrind may read several texels
        m_isImage = false;
    }

    void memoryLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
                    size_t size) override
    {
        if (m_sampled)
            access(BL_WIRE_READ, memory, item, address, size);
    }

    void memoryStore(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
                     size_t size, const uint8_t *) override
    {
        if (m_sampled)
            access(BL_WIRE_WRITE, memory, item, address, size);
    }

    void memoryAllocated(const oclgrind::Memory *memory, size_t address, size_t size,
                         cl_mem_flags flags, const uint8_t *) override
    {
        if (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) &&
            memory->getAddressSpace() == BL_WIRE_GLOBAL)
            m_initial.add(address, size);
    }

    void memoryDeallocated(const oclgrind::Memory *memory, size_t address) override
    {
        if (memory->getAddressSpace() == BL_WIRE_GLOBAL)
            m_initial.remove(address);
    }

    // Writes are not reported during a launch. Oclgrind tells each element of a buffer that the
    // host fills, so beginRecords() reports adjacent writes together.
    void hostMemoryStore(const oclgrind::Memory *memory, size_t address, size_t size,
                         const uint8_t *) override
    {
        const std::unique_lock<std::recursive_mutex> lock(m_launch, std::try_to_lock);
        if (!lock || m_hasLocked || m_lanes == 0 || memory->getAddressSpace() != BL_WIRE_GLOBAL)
            return;
        if (m_writtenBytes > 0 && address != m_written + m_writtenBytes) {
            beginRecords();
            endRecords();
        }
        m_written = m_writtenBytes > 0 ? m_written : address;
        m_writtenBytes += size;
    }

    // Oclgrind reports an atomic as a read and a write; it is one request, so the write is ignored.
    void memoryAtomicLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
                          oclgrind::AtomicOp, size_t address, size_t size) override
    {
        if (m_sampled)
            access(BL_WIRE_ATOMIC, memory, item, address, size);
    }

    void memoryLoad(const oclgrind::Memory *, const oclgrind::WorkGroup *, size_t,
                    size_t size) override
    {
        if (m_sampled)
            put({BL_WIRE_COPY, 0, 0, 0, 0, 0, size});
    }

private:
    void beginProcess()
    {
        m_process = getpid();
        native.disconnect(), m_count = 0;
        m_programs.clear(), m_instructionsOf.clear(), m_kernels.clear();
        m_instructionCount = 0;
        m_seen.clear(), m_writtenBytes = 0;
        put({BL_WIRE_HELLO, 0, 0, 0, static_cast<uint32_t>(m_process), 0, BL_WIRE_VERSION});
    }

    void endGroup()
    {
        for (m_index = 0; m_lanes > 0 && m_index < m_ofItem.size(); m_index++) {
            m_work.choose(m_index), tellWork(BL_WIRE_NONE, 0); // work that no access follows
        }
        if (m_images > 0 || m_prints)
            put({BL_WIRE_IMAGES, 0, 0, 0, 0, m_prints, m_images});
        put({BL_WIRE_GROUP_END, 0, 0, 0, m_leftOut > 0 ? m_share : 0, m_leftOutWork, m_leftOut});
        m_sampled = false;
        flush();
    }

    void beginRecords()
    {
        const bool isForked = getpid() != m_process; // a fork, which inherited this object
        if (isForked)
            bl_pipe_end_open(&m_pipe, getenv(BL_WIRE_DESCRIPTOR));
        bl_pipe_end_lock(&m_pipe);
        m_hasLocked = true;
        if (isForked)
            beginProcess();
        put({BL_WIRE_PROCESS, 0, 0, 0, static_cast<uint32_t>(getpid()), 0, 0});
        if (m_writtenBytes > 0)
            put({BL_WIRE_HOST, 0, 0, 0, 0, m_writtenBytes, m_written});
        m_writtenBytes = 0;
    }

    void endRecords()
    {
        flush();
        m_hasLocked = false;
        bl_pipe_end_unlock(&m_pipe);
    }

    static size_t lanesOf(const char *works) { return works ? strtoull(works, nullptr, 10) : 0; }

    static uint64_t launchBegins(const std::string &kernel, bl_wire_host_work *work)
    {
        using Function = uint64_t(const char *, bl_wire_host_work *);
        auto *begins = reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, BL_LAUNCH_BEGINS));
        return begins ? begins(kernel.c_str(), work) : 0;
    }

    void access(bl_wire_operation operation, const oclgrind::Memory *memory,
                const oclgrind::WorkItem *item, size_t address, size_t size)
    {
        if (item != m_item)
            chooseItem(item);
        const llvm::Instruction *instruction = item->getCurrentInstruction();
        const Known &known = knownOf(instruction);
        m_isImage |= known.isImage;
        m_prints |= known.isPrintf;
        if (known.isLeftOut)
            return;
        if (known.wholeBytes > 0) {
            address -= known.offset;
            size = known.wholeBytes;
        }
        if (memory->getAddressSpace() == BL_WIRE_PRIVATE) {
            if (m_lanes > 0)
                m_work.usesPrivate(instruction, address);
            if (!known.isIndexed)
                return;
        }
        if (isAtLimit()) {
            m_leftOut++;
            return;
        }
        m_ofItem[m_index]++, m_recorded++;
        if (m_lanes > 0) {
            tellWaits(instruction);
            tellWork(BL_WIRE_NONE, 0);
        }
        tellPlace(m_flow.at(instruction));
        // Oclgrind keeps constant memory in global memory; only the instruction tells which memory
        // is accessed.
        const uint32_t space = known.constant ? known.constant : memory->getAddressSpace();
        put({BL_WIRE_ACCESS, static_cast<uint8_t>(space), static_cast<uint8_t>(operation), 0,
             known.number, size, address});
        if (m_lanes > 0 && operation != BL_WIRE_WRITE)
            m_work.loaded(instruction);
        m_accessed = instruction;
    }

    // A few work-items that make most of the accesses may exceed their share of the limit.
    bool isAtLimit() const
    {
        return m_ofItem[m_index] >= m_limitOfItem && 2 * m_recorded >= m_limit;
    }

    // Reports the loads that an instruction waits for, and the work before each wait.
    void tellWaits(const llvm::Instruction *instruction)
    {
        uint8_t how = 0;
        while (LLVMValueRef load = m_work.nextWait(instruction, &how)) {
            const auto found = m_instructions->find(static_cast<const llvm::Instruction *>(load));
            if (found != m_instructions->end())
                tellWork(found->second.number, how | (m_flow.isSingle() ? BL_WIRE_ROLLED : 0));
        }
    }

    void tellWork(uint32_t load, uint8_t how)
    {
        const Work::Done done = m_work.take();
        const bool isNothing = done.instructions == 0 && load == BL_WIRE_NONE;
        if (isAtLimit())
            m_leftOutWork += std::max(done.instructions, done.chain);
        if (isAtLimit() || isNothing)
            return;
        if (m_index != m_toldItem)
            put({BL_WIRE_ITEM, 0, 0, 0, static_cast<uint32_t>(m_index), 0, 0});
        m_toldItem = m_index;
        put({BL_WIRE_WORK, 0, 0, how, load, done.carried,
             static_cast<uint64_t>(done.chain) << 32 | done.instructions});
    }

    void chooseItem(const oclgrind::WorkItem *item)
    {
        m_item = item;
        const oclgrind::Size3 id = item->getLocalID();
        m_index = id.x + m_groupSize.x * (id.y + m_groupSize.y * id.z);
        m_flow.choose(m_index, item);
        m_work.choose(m_index);
    }

    // Reports the work-item and the position of the next access, if they changed.
    void tellPlace(uint64_t position)
    {
        const uint64_t compiled = m_flow.compiled().position;
        if (m_index != m_toldItem)
            put({BL_WIRE_ITEM, 0, 0, 0, static_cast<uint32_t>(m_index), 0, 0});
        if (position != m_toldPosition || compiled != m_toldCompiled)
            put({BL_WIRE_POSITION, 0, 0, 0, 0, compiled, position});
        m_toldItem = m_index;
        m_toldPosition = position;
        m_toldCompiled = compiled;
    }

    struct Known {
        uint32_t number = 0, constant = 0; // constant: the wire's number of constant memory, or 0
        bool isIndexed = false;
        // isImage: counted separately. isPrintf: reads a format, or what it prints.
        bool isLeftOut = false, isImage = false, isPrintf = false;
        // For the first part of a split access: its distance in bytes from the beginning of the
        // whole access, and the size of the whole access. Otherwise 0.
        size_t offset = 0, wholeBytes = 0;
    };

    const Known &knownOf(const llvm::Instruction *instruction)
    {
        if (instruction == m_last)
            return *m_lastKnown;
        auto found = m_instructions->find(instruction);
        if (found == m_instructions->end())
            found = m_instructions->emplace(instruction, tell(instruction)).first;
        m_last = instruction;
        m_lastKnown = &found->second;
        return found->second;
    }

    // Describes an instruction when it makes its first access.
    Known tell(const llvm::Instruction *instruction)
    {
        Known known;
        const Parts parts = partsOf(instruction);
        known.isImage = isOfImage(instruction);
        known.isPrintf = isPrintf(instruction);
        known.isLeftOut =
            known.isImage || known.isPrintf || (parts.first && parts.first != instruction);
        if (known.isLeftOut)
            return known;
        known.number = m_instructionCount++;
        bl_wire_instruction told = describe(instruction, parts);
        LLVMValueRef place = placeOf(instruction);
        if (parts.first) {
            known.offset = parts.index * told.component_bytes;
            known.wholeBytes = told.components * told.component_bytes;
        }
        if (spaceOf(instruction) == BL_WIRE_CONSTANT)
            known.constant = isOfDeclared(instruction) ? BL_WIRE_DECLARED : BL_WIRE_CONSTANT;
        told.index = indexOf(instruction, &known.isIndexed);
        unsigned length = 0;
        const char *file = LLVMGetDebugLocFilename(place, &length);
        std::string text(reinterpret_cast<const char *>(&told), sizeof told);
        if (file)
            text.append(file, length);
        text += '\0' + arrayOf(instruction) + '\0' + callSitesOf(place);
        putText({BL_WIRE_INSTRUCTION, 0, 0, 0, known.number, 0, 0}, text);
        return known;
    }

    uint32_t programOf(const oclgrind::Program *program)
    {
        const auto found = m_programs.find(program->getUID());
        if (found != m_programs.end())
            return found->second;
        const uint32_t number = static_cast<uint32_t>(m_programs.size());
        m_programs[program->getUID()] = number;
        putText({BL_WIRE_SOURCE, 0, 0, 0, number, 0, 0}, program->getSource());
        putText({BL_WIRE_OPTIONS, 0, 0, 0, number, 0, 0}, program->getBuildOptions());
        return number;
    }

    void put(const bl_wire_record &record)
    {
        if (m_count == recordsOfBuffer)
            flush();
        m_buffer[m_count++] = record;
    }

    void putText(bl_wire_record record, const std::string &text)
    {
        flush(); // flush may add a record, which must come before the record of this text
        record.bytes = text.size();
        put(record);
        send(m_buffer.data(), m_count * sizeof(bl_wire_record));
        m_count = 0;
        send(text.data(), text.size());
    }

    void flush()
    {
        const uint64_t threads = m_threadCount;
        if (threads > m_toldThreads && threads > 1 && m_count < m_buffer.size()) {
            m_toldThreads = threads;
            m_buffer[m_count++] = {BL_WIRE_THREADS, 0, 0, 0, 0, 0, threads};
        }
        send(m_buffer.data(), m_count * sizeof(bl_wire_record));
        m_count = 0;
    }

    // If the reader has gone, the program continues untraced.
    void send(const void *data, size_t bytes)
    {
        if (bytes == 0)
            return;
        if (!m_hasLocked)
            bl_pipe_end_lock(&m_pipe);
        bl_pipe_end_write(&m_pipe, data, bytes);
        if (!m_hasLocked)
            bl_pipe_end_unlock(&m_pipe);
    }

    bl_pipe_end m_pipe;
    pid_t m_process = 0;      // the process for which programs and instructions are numbered
    bool m_hasLocked = false; // whether the lock that beginRecords took is held
    std::recursive_mutex m_launch;
    std::mutex m_threadsLock;
    std::unordered_set<std::thread::id> m_threads; // host threads (noteThread)
    std::atomic<uint64_t> m_threadCount{0};
    uint64_t m_toldThreads = 0;
    InitialData m_initial;
    size_t m_written = 0, m_writtenBytes = 0; // what the host has written and was not reported yet
    std::unordered_set<const oclgrind::Context *> m_seen; // contexts that have launched a kernel
    std::unordered_set<std::string> m_kernels; // kernels launched so far, as "PROGRAM NAME"
    bool m_sampled = false;
    uint64_t m_limit, m_limitOfItem = 0, m_recorded = 0, m_leftOut = 0, m_leftOutWork = 0,
                      m_groups = 0, m_allGroups = 0,
                      m_group = 0; // index of the current group
    const bool m_wantsQuick = isQuick(getenv(BL_WIRE_QUICK));
    bool m_isQuick = m_wantsQuick; // the current launch runs only some groups
    Groups m_chosen{getenv(BL_WIRE_BETWEEN), getenv(BL_WIRE_BUDGET)};
    oclgrind::Size3 m_groupSize, m_numGroups;
    const oclgrind::WorkItem *m_item = nullptr;
    size_t m_index = 0, m_toldItem = 0;
    uint64_t m_toldPosition = 0, m_toldCompiled = 0, m_images = 0;
    bool m_isImage = false;                          // the current instruction accesses an image
    bool m_prints = false;                           // the current group has called printf
    size_t m_lanes = lanesOf(getenv(BL_WIRE_WORKS)); // of a sub-group; 0: work is not reported
    Flow m_flow{m_lanes > 0};
    Work m_work;
    const llvm::Instruction *m_accessed = nullptr; // its access was reported, but not its execution
    std::vector<uint64_t> m_ofItem;
    uint32_t m_share = 0; // accesses of each work-item that count if the group reaches the limit
    const llvm::Instruction *m_last = nullptr;
    const Known *m_lastKnown = nullptr;
    // Indexed by Oclgrind's numbers of programs, because the address of a released program may be
    // reused.
    using Instructions = std::unordered_map<const llvm::Instruction *, Known>;
    std::unordered_map<unsigned long, Instructions> m_instructionsOf;
    Instructions *m_instructions = nullptr;
    uint32_t m_instructionCount = 0;
    std::unordered_map<unsigned long, uint32_t> m_programs;
    std::array<bl_wire_record, recordsOfBuffer + 1> m_buffer; // one more for BL_WIRE_THREADS
    size_t m_count = 0;
};

// One for all contexts of the process: they share the pipe and the numbers of instructions.
Tracer *tracer = nullptr;
std::unordered_set<const oclgrind::Context *> contexts;
std::mutex contextsLock;
} // namespace

extern "C" void initializePlugins(oclgrind::Context *context)
{
    const std::lock_guard<std::mutex> guard(contextsLock);
    bl_pipe_end pipe;
    if (!tracer) {
        if (!bl_pipe_end_open(&pipe, getenv(BL_WIRE_DESCRIPTOR)))
            return;
        tracer = new Tracer(context, pipe);
        addIntrinsics();
    }
    tracer->noteThread();
    context->registerPlugin(tracer);
    contexts.insert(context);
}

extern "C" void releasePlugins(oclgrind::Context *context)
{
    const std::lock_guard<std::mutex> guard(contextsLock);
    if (contexts.erase(context) == 0)
        return;
    tracer->forget(context);
    context->unregisterPlugin(tracer);
    if (!contexts.empty())
        return;
    delete tracer;
    tracer = nullptr;
}
