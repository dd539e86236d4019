// The kernel interfaces that Swift's Glibc module leaves out, and the variadic and macro ones
// it cannot import.
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/// Hidden behind a feature macro that Glibc's module lacks.
int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);

static const uint32_t octet_epoll_in = 0x001;
static const uint32_t octet_epoll_out = 0x004;
static const uint32_t octet_epoll_err = 0x008;
static const uint32_t octet_epoll_hup = 0x010;
static const uint32_t octet_epoll_rdhup = 0x2000;
static const int octet_cloexec = 02000000;   // EPOLL_CLOEXEC, EFD_CLOEXEC, SOCK_CLOEXEC
static const int octet_nonblock = 04000;    // EFD_NONBLOCK, SOCK_NONBLOCK
static const uint32_t octet_epoll_edge = 1u << 31;

static inline int octet_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t data) {
  struct epoll_event event;
  event.events = events;
  event.data.u64 = data;
  return epoll_ctl(epoll, operation, fd, &event);
}
static inline uint64_t octet_epoll_data(const struct epoll_event *event) { return event->data.u64; }
static inline int octet_accept(int listener, struct sockaddr_storage *address, socklen_t *length) {
  return accept4(listener, (struct sockaddr *)address, length, octet_cloexec | octet_nonblock);
}
static inline ssize_t octet_receive(int fd, void *octets, size_t count) {
  return recv(fd, octets, count, MSG_DONTWAIT);
}
static inline ssize_t octet_peek(int fd, void *octets, size_t count) {
  return recv(fd, octets, count, MSG_DONTWAIT | MSG_PEEK);
}
static inline ssize_t octet_send(int fd, const void *octets, size_t count) {
  return send(fd, octets, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}
static inline ssize_t octet_send_two(int fd, const void *first, size_t first_count, const void *second,
                                     size_t second_count) {
  struct iovec parts[2] = {{(void *)first, first_count}, {(void *)second, second_count}};
  struct msghdr message = {0};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}
static inline int octet_set_option(int fd, int level, int option, int value) {
  return setsockopt(fd, level, option, &value, sizeof value);
}
/// Makes `close` send a reset instead of a regular end of stream.
static inline int octet_reset_on_close(int fd) {
  struct linger linger = {1, 0};
  return setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}
static inline int octet_socket(int family) {
  return socket(family, SOCK_STREAM | octet_cloexec | octet_nonblock, 0);
}
static inline int octet_open_append(const char *path) {
  return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
}
static inline int64_t octet_monotonic_nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static inline int64_t octet_wall_nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
/// Processors this process may run on; the library call hides behind a feature macro that Glibc's module lacks.
static inline int octet_available_processors(void) {
  unsigned long mask[16] = {0};
  long octets = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  int count = 0;
  for (long word = 0; word < octets / (long)sizeof mask[0]; word++) count += __builtin_popcountl(mask[word]);
  return count > 0 ? count : 1;
}

/// A non-blocking connect to `address`; -1 with `EINPROGRESS` is the usual answer.
static inline int octet_connect(int fd, const struct sockaddr_storage *address, socklen_t length) {
  return connect(fd, (const struct sockaddr *)address, length);
}
static inline int octet_bind(int fd, const struct sockaddr_storage *address, socklen_t length) {
  return bind(fd, (const struct sockaddr *)address, length);
}
/// The port a socket is bound to, in host order; 0 when it has none.
static inline uint16_t octet_local_port(int fd) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &length) != 0) return 0;
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  return ntohs(((struct sockaddr_in *)&address)->sin_port);
}
/// Fills `address` from an IPv4 or IPv6 literal; returns its length, or 0 when it is neither.
static inline socklen_t octet_parse_address(const char *literal, uint16_t port, struct sockaddr_storage *address) {
  memset(address, 0, sizeof *address);
  struct sockaddr_in *four = (struct sockaddr_in *)address;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
  if (inet_pton(AF_INET, literal, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    return sizeof *four;
  }
  if (inet_pton(AF_INET6, literal, &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    return sizeof *six;
  }
  return 0;
}
/// The pending error of a socket, such as the outcome of a connect.
static inline int octet_socket_error(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}
/// The address alone, in network order: 4 octets for IPv4, 16 for IPv6, 0 for anything else.
static inline int octet_address_octets(const void *address, uint8_t octets[16]) {
  const struct sockaddr *any = (const struct sockaddr *)address;
  if (any->sa_family == AF_INET) {
    memcpy(octets, &((const struct sockaddr_in *)address)->sin_addr, 4);
    return 4;
  }
  if (any->sa_family != AF_INET6) return 0;
  memcpy(octets, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
  return 16;
}
