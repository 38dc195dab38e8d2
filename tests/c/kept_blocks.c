/* Makes and frees what armature.h offers, many times over, and counts the blocks of memory that stay: after a few rounds of warming up
 * no round may keep one more. Then eight threads compute with one arm. Loads ROUNDS times and identifies IDENTIFIES times, and once for every
 * hundred of these with all that is chosen by default, which takes thirty times as long:
 *     kept_blocks FOLDER ROUNDS IDENTIFIES
 */
#define _GNU_SOURCE
#include <armature/armature.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own names for what is replaced here; the library calls these too. */
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);

static long blocks = 0; /* that are in use */

static void* taken(void* block) {
  if (block) __atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED);
  return block;
}
void* malloc(size_t size) { return taken(__libc_malloc(size)); }
void* calloc(size_t count, size_t size) { return taken(__libc_calloc(count, size)); }
void* memalign(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }
void* aligned_alloc(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }
int posix_memalign(void** block, size_t alignment, size_t size) {
  *block = taken(__libc_memalign(alignment, size));
  return *block ? 0 : ENOMEM;
}
void free(void* block) {
  if (block) __atomic_sub_fetch(&blocks, 1, __ATOMIC_RELAXED);
  __libc_free(block);
}
void* realloc(void* block, size_t size) {
  if (!block) return malloc(size);
  if (size == 0) {
    free(block);
    return NULL;
  }
  return __libc_realloc(block, size);
}

static void need(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "%s: %s\n", what, armature_error());
  exit(1);
}

/* One arm after the other, each used once, and what is refused. */
static void load_arm(const char* name) {
  const double q[7] = {0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7};
  const double* inputs[1] = {q};
  const char* heavier[] = {"payload={mass: 2 kg}"};
  const char* gains[] = {"kind=joint_pd", "kp=100", "kd=10"};
  double gravity[7];
  armature_arm *arm = NULL, *loaded = NULL, *none = NULL;
  armature_function* function = NULL;
  armature_law* law = NULL;
  need(armature_arm_load(name, NULL, 0, &arm) == ARMATURE_OK, "load");
  need(armature_arm_replace(arm, heavier, 1, &loaded) == ARMATURE_OK, "replace");
  need(armature_function_new(loaded, "gravity", NULL, 0, &function) == ARMATURE_OK, "function");
  need(armature_function_state(function, inputs, 1, gravity) == ARMATURE_OK, "state");
  need(armature_law_new(arm, 0.001, gains, 3, &law) == ARMATURE_OK, "law");
  need(armature_arm_load("nobody", NULL, 0, &none) == ARMATURE_WRONG_INPUT, "an arm that is none");
  need(armature_function_new(arm, "nothing", NULL, 0, &function) == ARMATURE_WRONG_INPUT, "a quantity that is none");
  armature_law_free(law);
  armature_function_free(function);
  armature_arm_free(loaded);
  armature_arm_free(arm);
}
static void load(void) { load_arm("rrr"); }
static void load_large(void) { load_arm("panda"); }

/* A hinge: the least that can be identified, and so the quickest. */
static const char* const hinge =
    "arm: hinge\nconvention: standard\ngravity: [0, -9.81, 0]\njoints:\n  - name: hinge\n    dh: {a: 0.5 m}\n"
    "    limits: {velocity: 10 rad/s, acceleration: 100 rad/s^2, torque: 100 N*m}\n"
    "    link: {name: rod, mass: 2 kg, com: [-200 mm, 0, 0], inertia: {about: com, xx: 0.01, yy: 0.02, zz: 0.02}}\n";

/* A log of the hinge, shaken, as a table. */
static void write_log(const char* path, const char* folder) {
  const char* scenario =
      "scenario: shaken\nrobot: hinge.yaml\nseed: 3\nsensors: {encoder: 1e-5, torque_noise: 0.05}\n"
      "reference: {kind: fourier, from: [0], base_frequency: 0.5 Hz, sine: [[0.4, 0.2, 0.1]], cosine: [[0.2, -0.1, -0.1]]}\n"
      "controller: {kind: joint_pd, kp: 400, kd: 20}\nrun: {duration: 2 s}\n";
  const char* columns[] = {"time", "q1_meas", "tau1"};
  const double* numbers[3] = {NULL};
  size_t rows = 0, i, k;
  armature_result* run = NULL;
  FILE* file = fopen(path, "w");
  need(file != NULL, path);
  need(armature_simulate(scenario, folder, NULL, 0, NULL, NULL, NULL, &run) == ARMATURE_OK, "simulate");
  for (i = 0; armature_result_name(run, i); ++i)
    for (k = 0; k < 3; ++k)
      if (strcmp(armature_result_name(run, i), columns[k]) == 0) {
        numbers[k] = armature_result_array(run, i);
        rows = armature_result_size(run, i);
      }
  for (k = 0; k < 3; ++k) fprintf(file, "%s%c", columns[k], k < 2 ? ',' : '\n');
  for (i = 0; i < rows; i += 10)
    for (k = 0; k < 3; ++k) fprintf(file, "%.17g%c", numbers[k][i], k < 2 ? ',' : '\n');
  fclose(file);
  armature_result_free(run);
}

static int quiet(void* user, double share) {
  (void)user;
  (void)share;
  return 0;
}

static const char* log_path;
static void identify_with(const char* const* settings, size_t count) {
  armature_arm *arm = NULL, *identified = NULL;
  armature_result *found = NULL, *judged = NULL, *none = NULL;
  const char* nowhere = "nowhere.csv";
  need(armature_arm_from_text(hinge, NULL, NULL, 0, &arm) == ARMATURE_OK, "hinge");
  need(armature_identify(arm, &log_path, 1, settings, count, quiet, NULL, &found) == ARMATURE_OK, "identify");
  need(armature_arm_from_text(armature_result_text(found), NULL, NULL, 0, &identified) == ARMATURE_OK, "its arm");
  need(armature_validate(identified, &log_path, 1, NULL, 0, &judged) == ARMATURE_OK, "validate");
  need(armature_identify(arm, &nowhere, 1, NULL, 0, NULL, NULL, &none) == ARMATURE_WRONG_INPUT, "a log that is none");
  armature_result_free(judged);
  armature_arm_free(identified);
  armature_result_free(found);
  armature_arm_free(arm);
}

static void identify(void) { identify_with(NULL, 0); }
/* Without the search for laws and weights. */
static void identify_plainly(void) {
  const char* plain[] = {"friction=none", "estimator=ols", "no_rotors=true", "ignore_inertia=true", "differences=true"};
  identify_with(plain, sizeof plain / sizeof *plain);
}

/* Memory that the system has given this process [KiB]. */
static long resident(void) {
  long pages = 0, ignored = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%ld %ld", &ignored, &pages) != 2) pages = 0;
  if (file) fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void repeat(const char* what, void (*work)(void), long rounds) {
  long before, more, memory, grown, k;
  for (k = 0; k < 5; ++k) work();
  before = blocks;
  memory = resident();
  for (k = 0; k < rounds; ++k) work();
  more = blocks - before;
  grown = resident() - memory;
  printf("%s, %ld times: %ld blocks more, %ld KiB of %ld more\n", what, rounds, more, grown, memory);
  fflush(stdout);
  if (more != 0 || grown > 4096) exit(1); /* a kept arm of 10 KiB would be 2 MiB in 200 rounds */
}

/* Eight threads, one arm: every torque is that of a thread alone. */
enum { threads = 8, states = 500, dof = 7 };
static double positions[states][dof], expected[states][dof];
static armature_function* shared;

static void compute(double (*torques)[dof], int from) {
  const double rest[dof] = {0};
  int k;
  for (k = 0; k < states; ++k) {
    const int s = (k + from) % states;
    const double* inputs[3] = {positions[s], positions[(s + 1) % states], rest};
    need(armature_function_state(shared, inputs, 3, torques[s]) == ARMATURE_OK, "state");
  }
}

static void* work_of_a_thread(void* number) {
  double torques[states][dof];
  int round;
  for (round = 0; round < 20; ++round) {
    compute(torques, 61 * *(int*)number + round);
    if (memcmp(torques, expected, sizeof torques) != 0) return "other torques than those of one thread";
    load();
  }
  return NULL;
}

static void share_one_arm(const char* settings) {
  armature_arm* arm = NULL;
  pthread_t running[threads];
  int numbers[threads], k, i;
  for (k = 0; k < states; ++k)
    for (i = 0; i < dof; ++i) positions[k][i] = sin(1.7 * k + 2.3 * i);
  need(armature_arm_load("panda", NULL, 0, &arm) == ARMATURE_OK, "load");
  if (settings) {
    armature_arm* other = NULL;
    need(armature_arm_replace(arm, &settings, 1, &other) == ARMATURE_OK, "replace");
    armature_arm_free(arm);
    arm = other;
  }
  need(armature_function_new(arm, "inverse_dynamics", NULL, 0, &shared) == ARMATURE_OK, "function");
  compute(expected, 0);
  for (k = 0; k < threads; ++k) {
    numbers[k] = k;
    need(pthread_create(&running[k], NULL, work_of_a_thread, &numbers[k]) == 0, "a thread");
  }
  for (k = 0; k < threads; ++k) {
    void* complaint = NULL;
    pthread_join(running[k], &complaint);
    if (complaint) {
      fprintf(stderr, "thread %d: %s\n", k, (const char*)complaint);
      exit(1);
    }
  }
  printf("eight threads on one arm computed %s: the same torques\n", armature_arm_generated(arm) ? "by its functions" : "by recursion");
  armature_function_free(shared);
  armature_arm_free(arm);
}

int main(int argc, char** argv) {
  char path[4096];
  FILE* file;
  if (argc != 4) return 2;
  snprintf(path, sizeof path, "%s/hinge.yaml", argv[1]);
  file = fopen(path, "w");
  need(file != NULL, path);
  fputs(hinge, file);
  fclose(file);
  snprintf(path, sizeof path, "%s/log.csv", argv[1]);
  log_path = path;
  write_log(path, argv[1]);
  repeat("loaded rrr", load, atol(argv[2]));
  repeat("loaded panda", load_large, atol(argv[2]) / 10);
  repeat("identified with given choices", identify_plainly, atol(argv[3]));
  repeat("identified with all choices by default", identify, atol(argv[3]) / 100);
  share_one_arm(NULL);
  share_one_arm("gravity=[0, 0, -1.62]");
  return 0;
}
