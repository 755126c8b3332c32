// The names of an access: its array, its place in the source, and the calls that it was inlined
// through. Needs LLVM, hence C++.
#ifndef BANKLINE_TRACE_OCLGRIND_NAMES_H
#define BANKLINE_TRACE_OCLGRIND_NAMES_H

#include <string>

#include "trace/llvm_c.hpp"
#include "trace/wire.h"

// What a compiler knows of an access's address. *isIndexed: whether the address has an index that
// is not constant. In private memory this distinguishes an array from a variable; a compiler keeps
// a variable in a register.
bl_wire_index indexOf(LLVMValueRef instruction, bool *isIndexed);

// The name, in the program, of the kernel's argument or the variable that an instruction accesses.
// If a function's callers pass several arrays, returns the name of the function's argument. In
// other cases, if the instruction may access one of several arrays, returns for example "a or b".
// The name is empty if there are more than four arrays, or if the pointer was loaded from memory.
std::string arrayOf(LLVMValueRef instruction);

// Whether an instruction accesses only arrays that the program declares in constant memory. Other
// constant arrays are buffers.
bool isOfDeclared(LLVMValueRef instruction);

// The bytes of an innermost row of the array that an instruction accesses; 0 if the array is
// declared with one dimension, or is not known.
unsigned rowBytesOf(LLVMValueRef instruction);

// Whether an access's address depends on a value that work-items load from global, constant or
// local memory, each its own.
bool isGathered(LLVMValueRef instruction);

// Whether an instruction calls an OpenCL function that accesses an image.
bool isOfImage(LLVMValueRef instruction);

// Whether an instruction calls printf. The accesses of printf to its format are not recorded.
bool isPrintf(LLVMValueRef instruction);

// One access to a vector that an optimizer has split into accesses to its components.
struct Parts {
    LLVMValueRef first = nullptr; // the first of these accesses; null if the access was not split
    LLVMTypeRef vector = nullptr;
    // The number of components that count as accessed. A read counts as all components, because
    // compilers load whole vectors; a write counts as the components from its lowest to its
    // highest.
    unsigned count = 0;
    unsigned index = 0; // index of the given access's component among the counted ones
};

Parts partsOf(LLVMValueRef access);

// The instruction whose line is shown for an access. This is the access itself, unless an optimizer
// merged several accesses into it and dropped the line. Then it is the instruction that computes
// the access's address or value. If that instruction has no line either, it is the nearest earlier
// instruction of the block that has a line, or else the nearest later one.
LLVMValueRef placeOf(LLVMValueRef access);

// "LINE:COLUMN" of each call that an instruction was inlined through, innermost first, separated by
// commas; empty if it was not inlined.
std::string callSitesOf(LLVMValueRef instruction);

// What is sent about an access. For a part of a split access, the type is that of the whole access.
bl_wire_instruction describe(LLVMValueRef instruction, const Parts &parts);

#endif
