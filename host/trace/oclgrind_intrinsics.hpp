// Functions of LLVM that its optimizer inserts and that Oclgrind does not know.
#ifndef BANKLINE_TRACE_OCLGRIND_INTRINSICS_HPP
#define BANKLINE_TRACE_OCLGRIND_INTRINSICS_HPP

// Adds those that work on integers to Oclgrind's functions, unless Oclgrind knows them. Without
// them, Oclgrind aborts when a program creates a kernel that rotates bits, for instance.
void addIntrinsics();

#endif
