// Has the groups of a launch that Oclgrind leaves out run at full speed (cl/native.h). Include
// Oclgrind's Context.h, KernelInvocation.h and Memory.h first: they cannot be included twice.
#ifndef BANKLINE_TRACE_OCLGRIND_NATIVE_HPP
#define BANKLINE_TRACE_OCLGRIND_NATIVE_HPP

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cl/native.h"
#include "trace/llvm_c.hpp"
#include "trace/oclgrind_kernel.hpp"
#include "trace/pipe_end.h"

class Native
{
public:
    ~Native() { forget(); }

    // Copies the buffers that the kernel's arguments point to, as they are before the launch. Call
    // before a launch of which some groups may be left out.
    void begin(const oclgrind::KernelInvocation *invocation)
    {
        const oclgrind::Kernel *kernel = invocation->getKernel();
        const oclgrind::Program *program = kernel->getProgram();
        m_isReady = false;
        m_name = std::to_string(program->getUID()) + " " + kernel->getName();
        if (m_failed.count(m_name) > 0 || program->getSource().empty() || !isConnected())
            return;
        m_buffers.clear(), m_arguments.clear(), m_bytes = 0;
        if (!collect(*kernel, *invocation->getContext()->getGlobalMemory()) ||
            m_bytes > std::min(m_bytesLeft, mostBytes()))
            return;
        m_bytesLeft -= m_bytes;
        for (const auto &buffer : m_buffers)
            memcpy(m_mapped + buffer.second.offset, buffer.second.data, buffer.second.bytes);
        m_isReady = true;
    }

    // Runs the whole launch, so that the buffers receive the results of all groups. instructions:
    // how many instructions all groups execute, estimated from those that ran. Call after the
    // launch. Returns false if the launch cannot be run, or takes too much of what is allowed.
    bool run(const oclgrind::KernelInvocation *invocation, double instructions)
    {
        if (!m_isReady || instructions > m_instructionsLeft / 2)
            return false;
        m_isReady = false;
        m_instructionsLeft -= instructions;
        if (!sendLaunch(*invocation) || !isDone()) {
            m_failed.insert(m_name);
            return false;
        }
        for (const auto &buffer : m_buffers)
            memcpy(buffer.second.data, m_mapped + buffer.second.offset, buffer.second.bytes);
        return true;
    }

    // Ends the connection. Call also in a fork of the process, which gets a connection of its own.
    void forget()
    {
        if (isOurs())
            close(m_socket);
        if (m_mapped)
            munmap(m_mapped, BL_NATIVE_MAPPED);
        m_socket = -1, m_mapped = nullptr, m_isReady = false;
        m_sent.clear();
    }

private:
    struct Buffer {
        unsigned char *data;
        uint64_t bytes, offset; // offset: in the mapped file
    };

    // Limits for a whole program, so that a trace ends in time. They count, and do not measure
    // time, so that a trace is the same on every host. A launch gets at most half of what is left.
    static constexpr double mostInstructions = 4e10;
    static constexpr uint64_t mostBytesCopied = UINT64_C(1) << 36;

    static uint64_t mostBytes()
    {
        const auto pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)),
                   bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
        return std::min<uint64_t>(pages * bytes / 4, BL_NATIVE_MAPPED);
    }

    // Finds the arguments' values and buffers. Returns false if the server cannot get them: images,
    // samplers, and arguments that were not set.
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
            tell({BL_NATIVE_LOCAL, bytes, 0}, nullptr);
        } else if (qualifier == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
            const bool isSampler =
                LLVMGetTypeKind(type) == kPointer && LLVMGetPointerAddressSpace(type) != 0;
            tell({BL_NATIVE_VALUE, bytes, 0}, value.data);
            return !isSampler;
        } else if (value.getPointer() == 0) {
            tell({BL_NATIVE_NULL, 0, 0}, nullptr);
        } else {
            const size_t address = value.getPointer(), offset = memory.extractOffset(address);
            const oclgrind::Memory::Buffer *found = memory.getBuffer(address);
            if (!found || offset >= found->size)
                return false;
            const auto added =
                m_buffers.insert({address - offset, {found->data, found->size, m_bytes}});
            if (added.second)
                m_bytes += (found->size + alignment - 1) / alignment * alignment;
            tell({BL_NATIVE_BUFFER, found->size - offset, added.first->second.offset + offset},
                 nullptr);
        }
        return true;
    }

    void tell(const bl_native_argument &argument, const unsigned char *value)
    {
        m_arguments.append(reinterpret_cast<const char *>(&argument), sizeof argument);
        if (value)
            m_arguments.append(reinterpret_cast<const char *>(value), argument.bytes);
    }

    bool sendLaunch(const oclgrind::KernelInvocation &invocation)
    {
        const oclgrind::Kernel *kernel = invocation.getKernel();
        const oclgrind::Program *program = kernel->getProgram();
        char folder[4096];
        if (!getcwd(folder, sizeof folder))
            return false;
        const bool isNew = m_sent.insert(program->getUID()).second;
        const std::string source = isNew ? program->getSource() : "",
                          options = program->getBuildOptions(), name = kernel->getName();
        bl_native_launch launch = {};
        launch.program = program->getUID();
        launch.dimensions = static_cast<uint32_t>(invocation.getWorkDim());
        launch.arguments = kernel->getNumArguments();
        for (unsigned i = 0; i < 3; i++) {
            launch.offset[i] = invocation.getGlobalOffset()[i];
            launch.global[i] = invocation.getGlobalSize()[i];
            launch.local[i] = invocation.getLocalSize()[i];
        }
        launch.folder_bytes = static_cast<uint32_t>(strlen(folder));
        launch.source_bytes = static_cast<uint32_t>(source.size());
        launch.options_bytes = static_cast<uint32_t>(options.size());
        launch.name_bytes = static_cast<uint32_t>(name.size());
        const std::string message =
            std::string(reinterpret_cast<const char *>(&launch), sizeof launch) + folder + source +
            options + name + m_arguments;
        size_t sent = 0;
        while (sent < message.size() && isOurs()) {
            const ssize_t more =
                send(m_socket, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
            if (more < 0 && errno == EINTR)
                continue;
            if (more <= 0)
                break;
            sent += static_cast<size_t>(more);
        }
        return sent == message.size();
    }

    // Waits for the answer to a launch. If the connection is lost, the next launch gets another.
    bool isDone()
    {
        char answer = 0;
        ssize_t got = -1;
        errno = EINTR;
        while (got < 0 && errno == EINTR && isOurs())
            got = recv(m_socket, &answer, 1, 0);
        if (got != 1)
            forget();
        return got == 1 && answer == BL_NATIVE_DONE;
    }

    // Whether the descriptor is still the socket: the program may have closed it and reused its
    // number.
    bool isOurs() const
    {
        struct stat found;
        return m_socket >= 0 && fstat(m_socket, &found) == 0 && found.st_dev == m_device &&
               found.st_ino == m_inode;
    }

    bool isConnected()
    {
        if (!isOurs()) {
            forget();
            const char *name = getenv(BL_NATIVE_SOCKET);
            if (!name || m_connections == mostConnections || !connectTo(name))
                return false;
        }
        return true;
    }

    bool connectTo(const std::string &name)
    {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
        m_connections++;
        const int low = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                  file = memfd_create("bankline", MFD_CLOEXEC);
        m_socket = fcntl(low, F_DUPFD_CLOEXEC, BL_PIPE_MIN_DESCRIPTOR);
        struct stat own = {};
        bool isOpen = file >= 0 && m_socket >= 0 && fstat(m_socket, &own) == 0 &&
                      ftruncate(file, static_cast<off_t>(BL_NATIVE_MAPPED)) == 0;
        m_device = own.st_dev, m_inode = own.st_ino;
        void *mapped =
            isOpen ? mmap(nullptr, BL_NATIVE_MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                   : MAP_FAILED;
        isOpen = mapped != MAP_FAILED;
        m_mapped = isOpen ? static_cast<char *>(mapped) : nullptr;
        isOpen =
            isOpen &&
            connect(m_socket, reinterpret_cast<sockaddr *>(&address),
                    static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())) ==
                0 &&
            sendFile(file);
        if (low >= 0)
            close(low);
        if (file >= 0)
            close(file);
        if (!isOpen)
            forget();
        return isOpen;
    }

    bool sendFile(int file) const
    {
        char byte = 0;
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof file)] = {};
        iovec data = {&byte, 1};
        msghdr message = {};
        message.msg_iov = &data, message.msg_iovlen = 1;
        message.msg_control = control, message.msg_controllen = sizeof control;
        cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(header), &file, sizeof file);
        return sendmsg(m_socket, &message, MSG_NOSIGNAL) == 1;
    }

    static constexpr uint64_t alignment = 4096;
    static constexpr unsigned mostConnections = 8; // if kernels crash the server again and again

    int m_socket = -1;
    dev_t m_device = 0;
    ino_t m_inode = 0;
    unsigned m_connections = 0;
    char *m_mapped = nullptr;       // BL_NATIVE_MAPPED bytes
    std::set<unsigned long> m_sent; // the programs that the server knows
    std::set<std::string> m_failed; // kernels, as "PROGRAM NAME"
    double m_instructionsLeft = mostInstructions;
    uint64_t m_bytesLeft = mostBytesCopied;

    // These are of the current launch.
    bool m_isReady = false; // its buffers are copied
    std::string m_name, m_arguments;
    std::map<size_t, Buffer> m_buffers; // by address
    uint64_t m_bytes = 0;               // of all buffers in the file
};

#endif
