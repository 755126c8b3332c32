/* Runs kernels at full speed, as machine code of the host's CPU (PoCL), for a program that Oclgrind
 * traces. With --quick, Oclgrind runs only some groups of a launch. The whole launch then runs
 * here, from the same initial data, so that later kernels find all of their input.
 *
 * A server process accepts connections on a socket, and serves each in a process of its own: a
 * kernel that crashes or never ends costs only its connection. When a device is ready, the server
 * sends a byte, BL_NATIVE_READY. The client (oclgrind_native.hpp) then sends launches, one after
 * another. Each is a byte with the descriptors of two files in memory; struct bl_native_launch; the
 * texts folder, source, options and kernel's name; and the arguments, each struct
 * bl_native_argument with the bytes of its value. The first file has the buffers. The server does
 * not change it. It writes the pages that the kernel has changed to the same places of the second
 * file, and behind them a bit for each page of the first file: whether it was changed. Then it
 * answers with a byte, an enum bl_native_answer. Both ends run on one host, so numbers have its
 * byte order.
 *
 * This header is included by C and C++. */
#ifndef BANKLINE_CL_NATIVE_H
#define BANKLINE_CL_NATIVE_H

#include <stdint.h>

/* Environment variable: the name of the server's abstract socket, without the leading 0 byte. Unset
 * if there is no server. */
#define BL_NATIVE_SOCKET "BANKLINE_TRACE_NATIVE"

/* The name (argv[0]) by which bankline is started as a server. Its arguments are the number of the
 * descriptor of the socket, which listens, and that of the process that starts it. */
#define BL_NATIVE_NAME "bankline-native"

/* A launch that takes longer than this is given up. */
enum { BL_NATIVE_SECONDS = 60 };

enum { BL_NATIVE_PAGE = 4096 };

enum bl_native_answer { BL_NATIVE_READY = 1, BL_NATIVE_DONE, BL_NATIVE_FAILED };

struct bl_native_launch {
    uint64_t program; /* the client's number of the program */
    uint64_t offset[3], global[3], local[3];
    uint64_t bytes; /* size of the first file, a multiple of BL_NATIVE_PAGE */
    uint32_t dimensions, arguments;
    uint32_t folder_bytes; /* the folder in which to build the program */
    uint32_t source_bytes; /* 0 if the connection has sent this program before */
    uint32_t options_bytes, name_bytes;
};

enum bl_native_kind {
    BL_NATIVE_VALUE,  /* followed by `bytes` bytes */
    BL_NATIVE_LOCAL,  /* local memory of `bytes` bytes */
    BL_NATIVE_BUFFER, /* `bytes` bytes of the file from `offset` on */
    BL_NATIVE_NULL    /* a null pointer */
};

struct bl_native_argument {
    uint64_t kind, bytes, offset;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Accepts connections until `parent`, the process that started this one, ends. Returns the exit
 * status if it cannot. */
int bl_native_serve(const char *descriptor, const char *parent);

#ifdef __cplusplus
}
#endif
#endif
