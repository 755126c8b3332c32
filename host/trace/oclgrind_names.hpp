// The names of an access: its array, its place in the source, and the calls that it was inlined
// through. Needs LLVM, hence C++.
#ifndef BANKLINE_TRACE_OCLGRIND_NAMES_H
#define BANKLINE_TRACE_OCLGRIND_NAMES_H

#include <string>

#include "trace/llvm_c.hpp"

// The operand through which an instruction accesses memory; null if there is none.
LLVMValueRef pointerOf(LLVMValueRef instruction);

// The name, in the program, of the argument or variable that an instruction accesses; empty if the
// instruction may access one of several, or if the pointer was loaded from memory.
std::string arrayOf(LLVMValueRef instruction);

// The size of a scalar; 0 for other types.
unsigned bytesOfScalar(LLVMTypeRef type);

// The size of an innermost row of the array that an instruction accesses; 0 if the array is
// declared with one dimension, or is not known.
unsigned rowBytesOf(LLVMValueRef instruction);

// Whether an instruction calls printf or an OpenCL function that accesses an image. The accesses of
// printf to its format are left out.
bool isOfImage(LLVMValueRef instruction);
bool isPrintf(LLVMValueRef instruction);

// The accesses to components into which an optimizer has split one access to a vector.
struct Parts {
    LLVMValueRef first = nullptr; // the first in the program's order; null: the access is whole
    LLVMTypeRef vector = nullptr;
    // The number of components that count as accessed: all components for a read, because compilers
    // load whole vectors; those from the lowest to the highest accessed one for a write.
    unsigned count = 0;
    unsigned index = 0; // index of the access's own component among these
};

Parts partsOf(LLVMValueRef access);

// The instruction whose line is shown for an access. This is the access itself unless an optimizer
// merged several accesses into it and dropped the line. It is then the instruction that computes
// the access's address or value, or else the access's nearest neighbour in the block.
LLVMValueRef placeOf(LLVMValueRef access);

// "LINE:COLUMN" of each call that an instruction was inlined through, innermost first, separated by
// commas; empty if it was not inlined.
std::string callSitesOf(LLVMValueRef instruction);

// The address space that an instruction accesses; 0 if it accesses none.
unsigned spaceOf(LLVMValueRef instruction);

// Whether the address has an index that is not constant. In private memory this distinguishes an
// array from a variable; a compiler keeps a variable in a register.
bool isIndexed(LLVMValueRef instruction);

#endif
