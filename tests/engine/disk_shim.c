/* Stands between a program and its disk (LD_PRELOAD): counts, logs, fails or interrupts every call that changes
 * files under the directory named in POZO_SHIM_DIR.
 *
 *   pozo_shim_arm(n, mode, log)   from now on: interrupt the nth call (0: never); write a log to the fd `log` (-1: none).
 *                                 mode -1: SIGKILL before it; -2: after it; an errno: it and all later ones fail with
 *                                 it; 1000 + errno: it alone fails.
 *   pozo_shim_calls()             calls counted since.
 *
 * A log record: op (1 byte), fd (int32), number (int64), length (uint32), data. Ops: 'o' opened (number 1: created;
 * data: path), 'c' closed, 'w' written at offset number, 's' synced, 't' truncated to number, 'r' renamed (data:
 * two paths, NUL between), 'u' unlinked. Calls that fail are not logged. SQLite's -shm files are left alone: they
 * are memory, not storage.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define FDS 1024
static char watched[FDS];
static int kill_at, mode, log_fd = -1, calls;

void pozo_shim_arm(int n, int how, int log) { kill_at = n; mode = how; log_fd = log; calls = 0; }
int pozo_shim_calls(void) { return calls; }

static int ours(const char *path) {
    const char *prefix = getenv("POZO_SHIM_DIR");
    size_t length = strlen(path);
    if (!prefix || strncmp(path, prefix, strlen(prefix))) return 0;
    return !(length > 4 && !strcmp(path + length - 4, "-shm"));
}
static int watching(int fd) { return fd >= 0 && fd < FDS && watched[fd]; }

static void put(const void *data, size_t length) {
    const char *at = data;
    while (length > 0) {
        ssize_t done = syscall(SYS_write, log_fd, at, length);
        if (done <= 0) _exit(99);
        at += done; length -= done;
    }
}
static void note(char op, int fd, int64_t number, const void *data, uint32_t length) {
    int32_t wide = fd;
    int saved = errno;
    if (log_fd < 0) return;
    put(&op, 1); put(&wide, 4); put(&number, 8); put(&length, 4); put(data, length);
    errno = saved;
}

/* Before a call: 1 if it has to fail. */
static int before(void) {
    calls++;
    if (!kill_at) return 0;
    if (mode == -1 && calls == kill_at) kill(getpid(), SIGKILL);
    if (mode >= 1000 && calls == kill_at) { errno = mode - 1000; return 1; }
    if (mode > 0 && mode < 1000 && calls >= kill_at) { errno = mode; return 1; }
    return 0;
}
static void after(void) { if (kill_at && mode == -2 && calls == kill_at) kill(getpid(), SIGKILL); }

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

static int opened(int (*real)(const char *, int, ...), const char *path, int flags, mode_t access_mode) {
    struct stat found;
    int mine = ours(path), creates = mine && (flags & O_CREAT) && stat(path, &found);
    if (creates && before()) return -1;
    int fd = real(path, flags, access_mode);
    if (mine && fd >= 0 && fd < FDS) { watched[fd] = 1; note('o', fd, creates, path, strlen(path)); }
    if (creates) after();
    return fd;
}
#define OPEN(name) \
int name(const char *path, int flags, ...) { \
    REAL(int, #name, const char *, int, ...); \
    va_list rest; va_start(rest, flags); \
    mode_t access_mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    return opened(real, path, flags, access_mode); \
}
OPEN(open)
OPEN(open64)

int close(int fd) {
    REAL(int, "close", int);
    if (watching(fd)) { watched[fd] = 0; note('c', fd, 0, "", 0); }
    return real(fd);
}
ssize_t write(int fd, const void *data, size_t length) {
    REAL(ssize_t, "write", int, const void *, size_t);
    if (!watching(fd)) return real(fd, data, length);
    int64_t offset = lseek(fd, 0, SEEK_CUR);
    if (before()) return -1;
    ssize_t done = real(fd, data, length);
    if (done > 0) note('w', fd, offset, data, done);
    after();
    return done;
}
#define PWRITE(name, off_type) \
ssize_t name(int fd, const void *data, size_t length, off_type offset) { \
    REAL(ssize_t, #name, int, const void *, size_t, off_type); \
    if (!watching(fd)) return real(fd, data, length, offset); \
    if (before()) return -1; \
    ssize_t done = real(fd, data, length, offset); \
    if (done > 0) note('w', fd, offset, data, done); \
    after(); \
    return done; \
}
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define SYNC(name) \
int name(int fd) { \
    REAL(int, #name, int); \
    if (!watching(fd)) return real(fd); \
    if (before()) return -1; \
    int result = real(fd); \
    if (!result) note('s', fd, 0, "", 0); \
    after(); \
    return result; \
}
SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(name, off_type) \
int name(int fd, off_type length) { \
    REAL(int, #name, int, off_type); \
    if (!watching(fd)) return real(fd, length); \
    if (before()) return -1; \
    int result = real(fd, length); \
    if (!result) note('t', fd, length, "", 0); \
    after(); \
    return result; \
}
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    if (!ours(from)) return real(from, to);
    if (before()) return -1;
    int result = real(from, to);
    if (!result) {
        char both[8192];
        size_t first = strlen(from), second = strlen(to);
        if (first + second + 1 > sizeof both) _exit(99);
        memcpy(both, from, first + 1); memcpy(both + first + 1, to, second);
        note('r', -1, 0, both, first + second + 1);
    }
    after();
    return result;
}
int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    if (!ours(path)) return real(path);
    if (before()) return -1;
    int result = real(path);
    if (!result) note('u', -1, 0, path, strlen(path));
    after();
    return result;
}
