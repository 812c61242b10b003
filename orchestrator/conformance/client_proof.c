/*
 * What programs rely on that are linked with ZooKeeper's C client. Takes a connection string, prints one line for every
 * proof that held, and leaves with 1 at the first that did not.
 *
 *   cc -DTHREADED -I/usr/include/zookeeper client_proof.c -lzookeeper_mt
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zookeeper.h>

#define PATIENCE_TENTHS 300
#define WRITES 1000

static const char *servers;
static char root[64];

#define REQUIRE(holds)                                                          \
  do {                                                                          \
    if (!(holds)) {                                                             \
      printf("broken: %s, line %d\n", #holds, __LINE__);                        \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

/* A thread of the client's own writes these; the others only wait for them. */
struct told {
  volatile int count, type, state;
};

static void tell(zhandle_t *zk, int type, int state, const char *path, void *context) {
  struct told *told = context;
  (void)zk;
  (void)path;
  if (told == NULL) return;
  told->state = state;
  if (type == ZOO_SESSION_EVENT) return;
  told->type = type;
  told->count++;
}

static void pause_a_tenth(void) { usleep(100000); }

#define UNTIL(holds)                                                            \
  do {                                                                          \
    for (int left = PATIENCE_TENTHS; !(holds); left--) {                        \
      REQUIRE(left > 0 && #holds);                                              \
      pause_a_tenth();                                                          \
    }                                                                           \
  } while (0)

static zhandle_t *connect_as(const clientid_t *session, struct told *told) {
  zhandle_t *zk = zookeeper_init(servers, tell, 10000, session, told, 0);
  REQUIRE(zk != NULL);
  UNTIL(zoo_state(zk) == ZOO_CONNECTED_STATE);
  return zk;
}

static char *at(const char *name) {
  static char paths[8][160];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s%s", root, name);
  return path;
}

static int make(zhandle_t *zk, const char *path, int flags, char *name, int size) {
  return zoo_create(zk, path, "", 0, &ZOO_OPEN_ACL_UNSAFE, flags, name, size);
}

static void synced(int code, const char *value, const void *context) {
  (void)value;
  *(volatile int *)context = code == ZOK ? 1 : -1;
}

static void level(zhandle_t *zk) {
  static volatile int done;
  done = 0;
  REQUIRE(zoo_async(zk, root, synced, (const void *)&done) == ZOK);
  UNTIL(done != 0);
  REQUIRE(done == 1);
}

static void basics(zhandle_t *one, zhandle_t *other) {
  char name[160], data[16];
  int size = sizeof data;
  struct Stat stat;
  struct String_vector names;
  REQUIRE(zoo_create(one, at("/basics"), "first", 5, &ZOO_OPEN_ACL_UNSAFE, 0, name, sizeof name) == ZOK);
  REQUIRE(make(one, at("/basics"), 0, name, sizeof name) == ZNODEEXISTS);
  level(other);
  REQUIRE(zoo_get(other, at("/basics"), 0, data, &size, &stat) == ZOK);
  REQUIRE(size == 5 && memcmp(data, "first", 5) == 0 && stat.version == 0 && stat.dataLength == 5);
  REQUIRE(zoo_set2(one, at("/basics"), "second", 6, 0, &stat) == ZOK && stat.version == 1);
  REQUIRE(zoo_set(one, at("/basics"), "third", 5, 0) == ZBADVERSION);
  REQUIRE(make(one, at("/basics/s-"), ZOO_SEQUENCE, name, sizeof name) == ZOK);
  REQUIRE(strcmp(name, at("/basics/s-0000000000")) == 0);
  REQUIRE(zoo_delete(one, at("/basics"), -1) == ZNOTEMPTY);
  REQUIRE(zoo_exists(one, at("/missing"), 0, &stat) == ZNONODE);
  REQUIRE(zoo_get_children(one, at("/basics"), 0, &names) == ZOK && names.count == 1);
  deallocate_String_vector(&names);
}

static void transactions(zhandle_t *one) {
  char made[160];
  zoo_op_t operations[3];
  zoo_op_result_t results[3];
  zoo_create_op_init(&operations[0], at("/multi"), "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, made, sizeof made);
  zoo_check_op_init(&operations[1], at("/multi"), 0);
  zoo_delete_op_init(&operations[2], at("/multi"), 0);
  REQUIRE(zoo_multi(one, 3, operations, results) == ZOK);
  zoo_check_op_init(&operations[1], at("/multi"), 9);
  REQUIRE(zoo_multi(one, 3, operations, results) == ZBADVERSION);
  REQUIRE(results[0].err == ZOK && results[1].err == ZBADVERSION && results[2].err == ZRUNTIMEINCONSISTENCY);
  REQUIRE(zoo_exists(one, at("/multi"), 0, NULL) == ZNONODE);
}

static void access_lists(zhandle_t *one, zhandle_t *other) {
  char name[160], data[16];
  int size = sizeof data;
  REQUIRE(zoo_add_auth(one, "digest", "user:secret", 11, NULL, NULL) == ZOK);
  REQUIRE(zoo_create(one, at("/mine"), "x", 1, &ZOO_CREATOR_ALL_ACL, 0, name, sizeof name) == ZOK);
  level(other);
  REQUIRE(zoo_get(other, at("/mine"), 0, data, &size, NULL) == ZNOAUTH);
  REQUIRE(zoo_get(one, at("/mine"), 0, data, &size, NULL) == ZOK);
}

static void watches(zhandle_t *one, zhandle_t *other) {
  struct told born = {0}, changed = {0}, family = {0};
  struct String_vector names;
  char name[160], data[16];
  int size = sizeof data;
  REQUIRE(zoo_wexists(other, at("/watched"), tell, &born, NULL) == ZNONODE);
  REQUIRE(make(one, at("/watched"), 0, name, sizeof name) == ZOK);
  UNTIL(born.count == 1);
  REQUIRE(born.type == ZOO_CREATED_EVENT);
  REQUIRE(zoo_wget(other, at("/watched"), tell, &changed, data, &size, NULL) == ZOK);
  REQUIRE(zoo_wget_children(other, at("/watched"), tell, &family, &names) == ZOK);
  deallocate_String_vector(&names);
  REQUIRE(zoo_set(one, at("/watched"), "x", 1, -1) == ZOK);
  REQUIRE(make(one, at("/watched/child"), 0, name, sizeof name) == ZOK);
  UNTIL(changed.count == 1 && family.count == 1);
  REQUIRE(changed.type == ZOO_CHANGED_EVENT && family.type == ZOO_CHILD_EVENT);
}

static volatile int answered;

static void in_order(int code, const struct Stat *stat, const void *context) {
  if (code == ZOK && stat->version == (int)(long)context) answered++;
}

static void pipelined(zhandle_t *one) {
  char name[160];
  REQUIRE(make(one, at("/many"), 0, name, sizeof name) == ZOK);
  for (long i = 1; i <= WRITES; i++) REQUIRE(zoo_aset(one, at("/many"), "x", 1, -1, in_order, (void *)i) == ZOK);
  UNTIL(answered == WRITES);
}

/* Its server closes the connection for a request that is too large: session, ephemeral and watch go on, until they are
 * ended; then nobody has them any more. */
static void reconnected(zhandle_t *one) {
  static char large[1100000];
  char name[160], data[16];
  int size = sizeof data;
  struct told lates = {0}, changed = {0};
  struct Stat stat;
  zhandle_t *owner = connect_as(NULL, NULL);
  clientid_t session = *zoo_client_id(owner);
  REQUIRE(make(owner, at("/kept"), ZOO_EPHEMERAL, name, sizeof name) == ZOK);
  REQUIRE(zoo_wget(owner, at("/kept"), tell, &changed, data, &size, NULL) == ZOK);
  REQUIRE(zoo_set(owner, at("/kept"), large, sizeof large, -1) == ZCONNECTIONLOSS);
  level(one);
  REQUIRE(zoo_set(one, at("/kept"), "x", 1, -1) == ZOK);
  UNTIL(changed.count == 1);
  UNTIL(zoo_exists(owner, at("/kept"), 0, &stat) == ZOK);
  REQUIRE(zoo_client_id(owner)->client_id == session.client_id && stat.ephemeralOwner == session.client_id);

  REQUIRE(zookeeper_close(owner) == ZOK);
  zhandle_t *late = zookeeper_init(servers, tell, 10000, &session, &lates, 0);
  UNTIL(lates.state == ZOO_EXPIRED_SESSION_STATE);
  zookeeper_close(late);
  level(one);
  REQUIRE(zoo_exists(one, at("/kept"), 0, &stat) == ZNONODE);
}

static void held(const char *name) {
  printf("held: %s\n", name);
  fflush(stdout);
}

int main(int count, char **arguments) {
  char name[160];
  if (count != 2) return 64;
  servers = arguments[1];
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  snprintf(root, sizeof root, "/c-%d-%ld", getpid(), random());
  zhandle_t *one = connect_as(NULL, NULL), *other = connect_as(NULL, NULL);
  REQUIRE(make(one, root, 0, name, sizeof name) == ZOK);
  level(other);
  basics(one, other);
  held("basics");
  transactions(one);
  held("transactions");
  access_lists(one, other);
  held("access lists");
  watches(one, other);
  held("watches");
  pipelined(one);
  held("a thousand writes at once");
  reconnected(one);
  held("a session on a new connection");
  zookeeper_close(one);
  zookeeper_close(other);
  return 0;
}
