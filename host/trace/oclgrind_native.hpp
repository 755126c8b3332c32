// Runs a launch on PoCL, at full speed, after Oclgrind has run only some of its groups
// (cl/native.h). Include
// Oclgrind's Context.h, KernelInvocation.h and Memory.h first: they cannot be included twice.
#ifndef BANKLINE_TRACE_OCLGRIND_NATIVE_HPP
#define BANKLINE_TRACE_OCLGRIND_NATIVE_HPP

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cl/native.h"
#include "trace/llvm_c.hpp"
#include "trace/oclgrind_kernel.hpp"
#include "trace/pipe_end.h"

// Whether the descriptor still is what it was when fstat returned this. The program may have closed
// it and reused its number.
inline bool isSameFile(int descriptor, const struct stat &own)
{
    struct stat found;
    return descriptor >= 0 && fstat(descriptor, &found) == 0 && found.st_dev == own.st_dev &&
           found.st_ino == own.st_ino;
}

class [[gnu::visibility("hidden")]] Native
{
public:
    ~Native() { disconnect(); }

    // Copies the buffers that the kernel's arguments point to, as they are before the launch. Call
    // before a launch of which some groups may be left out.
    void begin(const oclgrind::KernelInvocation *invocation)
    {
        const oclgrind::Kernel *kernel = invocation->getKernel();
        const oclgrind::Program *program = kernel->getProgram();
        const std::string &source = program->getSource();
        end();
        m_name = std::to_string(std::hash<std::string>()(source)) + " " + kernel->getName();
        m_buffers.clear(), m_arguments.clear(), m_bytes = 0;
        if (m_failed.count(m_name) > 0 || source.empty() || declaresVariables(*kernel) ||
            (source.find("#include") != std::string::npos && folder() != m_folder) ||
            !collect(*kernel, *invocation->getContext()->getGlobalMemory()) ||
            m_bytes > std::min(m_bytesLeft, maxBytes()) || !isConnected() || !createFiles())
            return;
        m_bytesLeft -= m_bytes;
        for (const auto &buffer : m_buffers)
            memcpy(m_before.at + buffer.second.offset, buffer.second.data, buffer.second.bytes);
        m_isReady = true;
    }

    // Runs the whole launch, so that the buffers receive the results of all groups. instructions:
    // how many instructions all groups execute, estimated from those that ran. Call after the
    // launch. Returns false if the launch cannot be run, or takes too much of what is allowed.
    bool run(const oclgrind::KernelInvocation *invocation, double instructions)
    {
        if (!m_isReady || instructions > m_instructionsLeft / 2)
            return false;
        m_instructionsLeft -= instructions;
        for (auto &buffer : m_buffers)
            noteChanges(buffer.second);
        const bool isSent = isOurs() && sendLaunch(*invocation);
        const int answer = isSent ? answered() : 0;
        if (isSent && answer != BL_NATIVE_DONE)
            m_failed.insert(m_name);
        if (answer == 0)
            disconnect(); // the next launch gets another connection
        if (answer == BL_NATIVE_DONE)
            for (const auto &buffer : m_buffers)
                takeChanges(buffer.second);
        end();
        return answer == BL_NATIVE_DONE;
    }

    // Call when a launch needs no run().
    void end()
    {
        m_before.close();
        m_after.close();
        m_isReady = false;
    }

    // Ends the connection. Call also in a fork of the process, which gets a connection of its own.
    void disconnect()
    {
        end();
        if (isOurs())
            close(m_socket);
        m_socket = -1;
        m_sentPrograms.clear();
    }

private:
    struct Buffer {
        unsigned char *data;
        uint64_t bytes, offset;       // offset: in the file
        std::vector<bool> hasChanged; // for each page, whether Oclgrind's groups changed it
    };

    // A file in memory that both processes map.
    struct File {
        int descriptor = -1;
        struct stat own;
        char *at = nullptr;
        size_t bytes = 0;

        bool create(size_t size)
        {
            rlimit limit;
            // A file that is larger than allowed would end the program by a signal.
            if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || size > limit.rlim_cur)
                return false;
            descriptor = atHigh(memfd_create("bankline", MFD_CLOEXEC));
            if (descriptor < 0 || fstat(descriptor, &own) != 0 ||
                ftruncate(descriptor, static_cast<off_t>(size)) != 0)
                return false;
            void *mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
            if (mapped == MAP_FAILED)
                return false;
            madvise(mapped, size, MADV_DONTDUMP); // not in a core file of the program
            at = static_cast<char *>(mapped), bytes = size;
            return true;
        }

        // Whether the descriptor is still the file's: another thread of the program may close all
        // descriptors.
        bool isOurs() const { return isSameFile(descriptor, own); }

        void closeDescriptor()
        {
            if (isOurs())
                ::close(descriptor);
            descriptor = -1;
        }

        void close()
        {
            closeDescriptor();
            if (at)
                munmap(at, bytes);
            at = nullptr, bytes = 0;
        }
    };

    // Limits for a whole process, so that a trace ends in time. They count instructions and bytes
    // and not time, so that they seldom depend on the host; BL_NATIVE_SECONDS and maxBytes() do. A
    // launch gets at most half of what is left of the instructions.
    static constexpr double maxInstructions = 4e10;
    static constexpr uint64_t maxBytesCopied = UINT64_C(1) << 36;
    static constexpr uint64_t page = BL_NATIVE_PAGE;
    // Between buffers, so that a kernel that writes beyond its buffer changes no other.
    static constexpr uint64_t gap = 16 * page;
    static constexpr unsigned maxConnections = 64; // if kernels end the server again and again

    static uint64_t numberIn(const char *path)
    {
        FILE *file = fopen(path, "re");
        unsigned long long number = 0;
        const bool isNumber = file && fscanf(file, "%llu", &number) == 1;
        if (file)
            fclose(file);
        return isNumber ? number : UINT64_MAX;
    }

    // An eighth of the memory, because there may be three further copies of the buffers. In a
    // container, the memory is what its control group may use.
    static uint64_t maxBytes()
    {
        const auto pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)),
                   bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
        return std::min({pages * bytes, numberIn("/sys/fs/cgroup/memory.max"),
                         numberIn("/sys/fs/cgroup/memory/memory.limit_in_bytes")}) /
               8;
    }

    // Moves a descriptor to a number that programs are not expected to use.
    static int atHigh(int low)
    {
        const int high = low >= 0 ? fcntl(low, F_DUPFD_CLOEXEC, BL_PIPE_MIN_DESCRIPTOR) : -1;
        if (low >= 0)
            close(low);
        return high;
    }

    static std::string folder()
    {
        char path[4096];
        return getcwd(path, sizeof path) ? path : "";
    }

    // Whether the program has variables in global memory. PoCL would have variables of its own.
    static bool declaresVariables(const oclgrind::Kernel &kernel)
    {
        LLVMValueRef variable =
            LLVMGetFirstGlobal(LLVMGetGlobalParent(LLVMValueRef(kernel.getFunction())));
        while (variable && LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) != BL_WIRE_GLOBAL)
            variable = LLVMGetNextGlobal(variable);
        return variable != nullptr;
    }

    // Finds the arguments' values and buffers. Returns false if the server cannot get them: images,
    // samplers, and arguments that were not set or that point to no buffer.
    bool collect(const oclgrind::Kernel &kernel, const oclgrind::Memory &memory)
    {
        const LLVMValueRef function = kernel.getFunction();
        for (unsigned i = 0; i < kernel.getNumArguments(); i++) {
            const LLVMValueRef parameter = LLVMGetParam(function, i);
            const oclgrind::TypedValue *value = nullptr;
            for (auto at = kernel.values_begin(); at != kernel.values_end(); ++at)
                if (at->first == parameter)
                    value = &at->second;
            if (!value || kernel.getArgumentAccessQualifier(i) != CL_KERNEL_ARG_ACCESS_NONE ||
                !addArgument(*value, kernel.getArgumentAddressQualifier(i), memory,
                             LLVMTypeOf(parameter)))
                return false;
        }
        return true;
    }

    bool addArgument(const oclgrind::TypedValue &value, unsigned qualifier,
                     const oclgrind::Memory &memory, LLVMTypeRef type)
    {
        const uint64_t bytes = uint64_t{value.size} * value.num;
        if (qualifier == CL_KERNEL_ARG_ADDRESS_LOCAL) {
            appendArgument({BL_NATIVE_LOCAL, bytes, 0}, nullptr);
        } else if (qualifier == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
            const bool isSampler =
                LLVMGetTypeKind(type) == kPointer && LLVMGetPointerAddressSpace(type) != 0;
            appendArgument({BL_NATIVE_VALUE, bytes, 0}, value.data);
            return !isSampler;
        } else if (value.getPointer() == 0) {
            appendArgument({BL_NATIVE_NULL, 0, 0}, nullptr);
        } else {
            const size_t address = value.getPointer(), offset = memory.extractOffset(address);
            if (!memory.isAddressValid(address))
                return false;
            const oclgrind::Memory::Buffer *found = memory.getBuffer(address);
            const auto added =
                m_buffers.insert({address - offset, {found->data, found->size, m_bytes, {}}});
            if (added.second)
                m_bytes += (found->size + page - 1) / page * page + gap;
            appendArgument(
                {BL_NATIVE_BUFFER, found->size - offset, added.first->second.offset + offset},
                nullptr);
        }
        return true;
    }

    void appendArgument(const bl_native_argument &argument, const unsigned char *value)
    {
        m_arguments.append(reinterpret_cast<const char *>(&argument), sizeof argument);
        if (value)
            m_arguments.append(reinterpret_cast<const char *>(value), argument.bytes);
    }

    bool createFiles()
    {
        const bool areCreated =
            m_bytes == 0 || (m_before.create(m_bytes) && m_after.create(m_bytes + bitsOf(m_bytes)));
        if (!areCreated)
            end();
        return areCreated;
    }

    static size_t bitsOf(size_t bytes) { return (bytes / page + 7) / 8; }

    void noteChanges(Buffer & buffer) const
    {
        buffer.hasChanged.clear();
        for (uint64_t at = 0; at < buffer.bytes; at += page)
            buffer.hasChanged.push_back(memcmp(buffer.data + at, m_before.at + buffer.offset + at,
                                               std::min(page, buffer.bytes - at)) != 0);
    }

    // Takes over the pages that the launch has changed, here or there, and nothing else: the host
    // may have written to other parts of the buffer meanwhile, and may not be allowed to write to
    // all of it. If the whole launch leaves a page as it was, so does this.
    void takeChanges(const Buffer &buffer)
    {
        const char *changed = m_after.at + m_bytes;
        for (uint64_t at = 0; at < buffer.bytes; at += page) {
            const uint64_t number = (buffer.offset + at) / page;
            const bool isThere = changed[number / 8] >> number % 8 & 1;
            if (isThere || buffer.hasChanged[at / page])
                memcpy(buffer.data + at, (isThere ? m_after.at : m_before.at) + buffer.offset + at,
                       std::min(page, buffer.bytes - at));
        }
    }

    // As Oclgrind adds options, too. Whether it optimizes does not matter here.
    static std::string optionsOf(const oclgrind::Program &program)
    {
        const char *added = getenv("OCLGRIND_BUILD_OPTIONS");
        const std::string all = program.getBuildOptions() + (added ? std::string(" ") + added : "");
        const size_t at = all.find("-O0");
        return at == std::string::npos ? all : all.substr(0, at) + all.substr(at + 3);
    }

    bool sendLaunch(const oclgrind::KernelInvocation &invocation)
    {
        const oclgrind::Kernel *kernel = invocation.getKernel();
        const oclgrind::Program *program = kernel->getProgram();
        const std::string path = folder(), options = optionsOf(*program), name = kernel->getName();
        if (path.empty() || !sendFiles())
            return false;
        const bool isNew = m_sentPrograms.insert(program->getUID()).second;
        const std::string source = isNew ? program->getSource() : "";
        bl_native_launch launch = {};
        launch.program = program->getUID();
        launch.bytes = m_bytes;
        launch.dimensions = static_cast<uint32_t>(invocation.getWorkDim());
        launch.arguments = kernel->getNumArguments();
        for (unsigned i = 0; i < 3; i++) {
            launch.offset[i] = invocation.getGlobalOffset()[i];
            launch.global[i] = invocation.getGlobalSize()[i];
            launch.local[i] = invocation.getLocalSize()[i];
        }
        launch.folder_bytes = static_cast<uint32_t>(path.size());
        launch.source_bytes = static_cast<uint32_t>(source.size());
        launch.options_bytes = static_cast<uint32_t>(options.size());
        launch.name_bytes = static_cast<uint32_t>(name.size());
        const std::string message =
            std::string(reinterpret_cast<const char *>(&launch), sizeof launch) + path + source +
            options + name + m_arguments;
        size_t sent = 0;
        while (sent < message.size()) {
            const ssize_t more =
                send(m_socket, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
            if (more < 0 && errno == EINTR)
                continue;
            if (more <= 0)
                return false;
            sent += static_cast<size_t>(more);
        }
        return true;
    }

    // Sends the descriptors of the two files, or of other files that are not used if the launch has
    // no buffers.
    bool sendFiles()
    {
        const int files[] = {m_bytes ? m_before.descriptor : m_socket,
                             m_bytes ? m_after.descriptor : m_socket};
        if (m_bytes && !(m_before.isOurs() && m_after.isOurs()))
            return false;
        char byte = 0;
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)] = {};
        iovec data = {&byte, 1};
        msghdr message = {};
        message.msg_iov = &data, message.msg_iovlen = 1;
        message.msg_control = control, message.msg_controllen = sizeof control;
        cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof files);
        memcpy(CMSG_DATA(header), files, sizeof files);
        const bool isSent = sendmsg(m_socket, &message, MSG_NOSIGNAL) == 1;
        m_before.closeDescriptor(), m_after.closeDescriptor();
        return isSent;
    }

    // Waits for a byte from the server. Returns 0 if the connection is lost.
    int answered() const
    {
        char answer = 0;
        ssize_t got = -1;
        errno = EINTR;
        while (got < 0 && errno == EINTR && isOurs())
            got = recv(m_socket, &answer, 1, 0);
        return got == 1 ? answer : 0;
    }

    bool isOurs() const { return isSameFile(m_socket, m_own); }

    // Whether the server is still there.
    bool isOpen() const
    {
        pollfd closed = {m_socket, POLLIN, 0};
        return isOurs() && poll(&closed, 1, 0) == 0;
    }

    bool isConnected()
    {
        if (isOpen())
            return true;
        disconnect();
        const char *name = getenv(BL_NATIVE_SOCKET);
        if (!name || m_connections == maxConnections)
            return false;
        m_connections++;
        if (connectTo(name) && answered() == BL_NATIVE_READY)
            return true;
        disconnect();
        m_connections = maxConnections; // there is no device
        return false;
    }

    bool connectTo(const std::string &name)
    {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
        const auto bytes =
            static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
        m_socket = atHigh(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (m_socket < 0 || fstat(m_socket, &m_own) != 0)
            return false;
        return connect(m_socket, reinterpret_cast<sockaddr *>(&address), bytes) == 0;
    }

    const std::string m_folder = folder(); // where the program began, and probably built
    int m_socket = -1;
    struct stat m_own;
    unsigned m_connections = 0;
    std::set<unsigned long> m_sentPrograms; // the programs that the server knows
    std::set<std::string> m_failed;         // kernels, as "HASH-OF-THE-SOURCE NAME"
    double m_instructionsLeft = maxInstructions;
    uint64_t m_bytesLeft = maxBytesCopied;

    // These are of the current launch.
    bool m_isReady = false; // its buffers are copied
    std::string m_name, m_arguments;
    std::map<size_t, Buffer> m_buffers; // by address
    uint64_t m_bytes = 0;               // of all buffers in the file
    File m_before, m_after;
};

#endif
