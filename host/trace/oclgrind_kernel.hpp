// What a launch tells of its kernel: the functions of Oclgrind's classes that are used, declared
// here because Oclgrind's own headers for the classes need LLVM's headers, and the buffers that a
// launch is the first to use.
#ifndef BANKLINE_TRACE_OCLGRIND_KERNEL_HPP
#define BANKLINE_TRACE_OCLGRIND_KERNEL_HPP

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include <oclgrind/common.h>

#include "trace/llvm_c.hpp"
#include "trace/wire.h"

namespace llvm
{
class Function;
}

namespace oclgrind
{
class Program
{
public:
    const std::string &getSource() const;
    const std::string &getBuildOptions() const;
    unsigned long getUID() const;
};

class Kernel
{
public:
    const llvm::Function *getFunction() const;
    const std::string &getName() const;
    const Program *getProgram() const;
    unsigned getNumArguments() const;
    unsigned getArgumentAccessQualifier(unsigned index) const;  // CL_KERNEL_ARG_ACCESS_NONE, ...
    unsigned getArgumentAddressQualifier(unsigned index) const; // CL_KERNEL_ARG_ADDRESS_LOCAL, ...
    TypedValueMap::const_iterator values_begin() const;
    TypedValueMap::const_iterator values_end() const;
};
} // namespace oclgrind

// The buffers that were created with initial data and that no launch has used yet. May be used by
// several threads.
class InitialData
{
public:
    void add(size_t address, size_t bytes)
    {
        const std::lock_guard<std::mutex> guard(m_lock);
        m_bytes[address] = bytes;
    }

    void remove(size_t address)
    {
        const std::lock_guard<std::mutex> guard(m_lock);
        m_bytes.erase(address);
    }

    // Removes the buffers that the kernel's arguments point to, and returns their bytes.
    uint64_t takeOf(const oclgrind::Kernel &kernel)
    {
        const std::lock_guard<std::mutex> guard(m_lock);
        uint64_t sum = 0;
        for (auto at = kernel.values_begin(); at != kernel.values_end(); ++at) {
            auto *value = reinterpret_cast<LLVMValueRef>(const_cast<llvm::Value *>(at->first));
            LLVMTypeRef type = LLVMTypeOf(value);
            // A structure that the kernel gets by value is a pointer to private memory.
            if (LLVMGetTypeKind(type) != kPointer ||
                (LLVMGetPointerAddressSpace(type) != BL_WIRE_GLOBAL &&
                 LLVMGetPointerAddressSpace(type) != BL_WIRE_CONSTANT))
                continue;
            const size_t address = at->second.getPointer();
            auto buffer = m_bytes.upper_bound(address); // the argument may be a part of a buffer
            if (buffer == m_bytes.begin())
                continue;
            --buffer;
            if (address - buffer->first < buffer->second) {
                sum += buffer->second;
                m_bytes.erase(buffer);
            }
        }
        return sum;
    }

private:
    std::mutex m_lock;
    std::map<size_t, size_t> m_bytes; // for each buffer's address, its size
};

#endif
