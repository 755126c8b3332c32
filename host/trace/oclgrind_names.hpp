// What an access is called: the array that it is of, and the calls that it was inlined through. C++
// alone.
#ifndef BANKLINE_TRACE_OCLGRIND_NAMES_H
#define BANKLINE_TRACE_OCLGRIND_NAMES_H

#include <string>

#include "trace/llvm_c.hpp"

// The operand through which an instruction accesses memory; null where there is none.
LLVMValueRef pointerOf(LLVMValueRef instruction);

// The argument or the variable that an instruction accesses, by the program's name; empty where it
// may be one or another, or comes out of memory.
std::string arrayOf(LLVMValueRef instruction);

// Bytes of a scalar, 0 where it is none.
unsigned bytesOfScalar(LLVMTypeRef type);

// Bytes of the innermost rows of the array that an instruction accesses, if it is declared with
// several dimensions; else, and where it is not known, 0.
unsigned rowBytesOf(LLVMValueRef instruction);

// Whether a call of OpenCL's accesses an image, or prints: its format is text for the host.
bool isOfImage(LLVMValueRef instruction);
bool isPrintf(LLVMValueRef instruction);

// Accesses to components that an optimizer has made of one access to a vector.
struct Parts {
    LLVMValueRef first = nullptr; // of them, in the program's order; null: it is none of several
    LLVMTypeRef vector = nullptr;
    // Components that are accessed, from the first one: all that are read together, for compilers
    // load a vector whole, but from the lowest to the highest that is written.
    unsigned count = 0;
    unsigned index = 0; // of the component that is asked for, from the first accessed one
};

Parts partsOf(LLVMValueRef access);

// The instruction whose place in the source an access is shown at: itself; where an optimizer has
// merged several into it, and so dropped its line, what computes its address or its value, or its
// neighbour in the block.
LLVMValueRef placeOf(LLVMValueRef access);

// "LINE:COLUMN" of each call that an instruction was inlined through, the innermost first, with
// commas between them; empty where it was not.
std::string callSitesOf(LLVMValueRef instruction);

#endif
