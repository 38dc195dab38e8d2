/* What armature.h offers to the files of +armature: [...] = armature_mex('command', ...). Handles travel as uint64. */
#include <stdlib.h>
#include <string.h>

#include "armature/armature.h"
#include "mex.h"

static void refuse(void) { mexErrMsgIdAndTxt("armature:error", "%s", armature_error()); }

static void check(armature_status status) {
  if (status != ARMATURE_OK) refuse();
}

static void* handle_of(const mxArray* value) {
  if (!mxIsUint64(value) || mxGetNumberOfElements(value) != 1) mexErrMsgIdAndTxt("armature:error", "not a handle");
  return (void*)(uintptr_t)(*(uint64_t*)mxGetData(value));
}

static mxArray* as_handle(const void* pointer) {
  mxArray* value = mxCreateNumericMatrix(1, 1, mxUINT64_CLASS, mxREAL);
  *(uint64_t*)mxGetData(value) = (uint64_t)(uintptr_t)pointer;
  return value;
}

static char* text_of(const mxArray* value) {
  char* text = mxIsChar(value) ? mxArrayToString(value) : NULL;
  if (!text) mexErrMsgIdAndTxt("armature:error", "a text is needed");
  return text;
}

/* A cell array of texts, such as settings "key=value"; freed by MEX when the call ends. */
static const char** settings_of(const mxArray* cell, size_t* count) {
  const char** texts;
  size_t i;
  *count = mxGetNumberOfElements(cell);
  texts = mxCalloc(*count + 1, sizeof *texts);
  for (i = 0; i < *count; ++i) texts[i] = text_of(mxGetCell(cell, i));
  return texts;
}

static mxArray* names_of(const char* (*name)(const armature_arm*, size_t), const armature_arm* arm) {
  size_t count = 0, i;
  mxArray* cell;
  while (name(arm, count)) ++count;
  cell = mxCreateCellMatrix(1, count);
  for (i = 0; i < count; ++i) mxSetCell(cell, i, mxCreateString(name(arm, i)));
  return cell;
}

/* {name, dof, joint names, link names, limits (5 x n), text} */
static mxArray* info_of(const armature_arm* arm) {
  mxArray* cell = mxCreateCellMatrix(1, 6);
  size_t n = armature_arm_dof(arm), i, k;
  mxArray* limits = mxCreateDoubleMatrix(5, n, mxREAL);
  double* rows = mxCalloc(5 * n, sizeof *rows);
  check(armature_arm_limits(arm, rows, rows + n, rows + 2 * n, rows + 3 * n, rows + 4 * n));
  for (k = 0; k < 5; ++k)
    for (i = 0; i < n; ++i) mxGetPr(limits)[k + 5 * i] = rows[k * n + i];
  mxSetCell(cell, 0, mxCreateString(armature_arm_name(arm)));
  mxSetCell(cell, 1, mxCreateDoubleScalar((double)n));
  mxSetCell(cell, 2, names_of(armature_arm_joint_name, arm));
  mxSetCell(cell, 3, names_of(armature_arm_link_name, arm));
  mxSetCell(cell, 4, limits);
  mxSetCell(cell, 5, mxCreateString(armature_arm_text(arm)));
  return cell;
}

/* compute(arm, quantity, settings, {q, qd, ...}): one state as a vector, or N x n; the result is N x width, read and written where
 * it lies. Second result: rows and columns of the parts. */
static void compute(int outputs, mxArray** out, const mxArray** in) {
  size_t count, width, states = 1, parts, i;
  const char** settings = settings_of(in[2], &count);
  armature_function* function = NULL;
  armature_input inputs[4];
  armature_output result;
  size_t given = mxGetNumberOfElements(in[3]), n = armature_arm_dof(handle_of(in[0]));
  armature_status status;
  if (given > 4) mexErrMsgIdAndTxt("armature:error", "too many inputs");
  for (i = 0; i < given; ++i) {
    const mxArray* x = mxGetCell(in[3], i);
    if (!x || !mxIsDouble(x) || mxIsComplex(x) || mxIsSparse(x) || mxGetNumberOfDimensions(x) != 2 ||
        !(mxGetNumberOfElements(x) == n || mxGetN(x) == n))
      mexErrMsgIdAndTxt("armature:error", "input %d is no vector of %d numbers and no matrix with %d columns", (int)i + 1,
                        (int)n, (int)n);
    if (mxGetNumberOfElements(x) != n) states = mxGetM(x);
  }
  for (i = 0; i < given; ++i) {
    const mxArray* x = mxGetCell(in[3], i);
    const int one = mxGetNumberOfElements(x) == n;
    if (!one && mxGetM(x) != states) mexErrMsgIdAndTxt("armature:error", "inputs have %d and %d rows", (int)states, (int)mxGetM(x));
    inputs[i].data = mxGetPr(x), inputs[i].type = ARMATURE_DOUBLE;
    inputs[i].state_step = one ? 0 : (ptrdiff_t)sizeof(double);
    inputs[i].number_step = (ptrdiff_t)((one ? 1 : states) * sizeof(double));
  }
  check(armature_function_new(handle_of(in[0]), text_of(in[1]), settings, count, &function));
  width = armature_function_width(function);
  out[0] = mxCreateDoubleMatrix(states, width, mxREAL);
  result.data = mxGetPr(out[0]), result.type = ARMATURE_DOUBLE;
  result.state_step = (ptrdiff_t)sizeof(double), result.number_step = (ptrdiff_t)(states * sizeof(double));
  status = armature_function_states(function, states, inputs, given, &result, 0);
  if (outputs > 1 && status == ARMATURE_OK) {
    for (parts = 0; armature_function_part(function, parts);) ++parts;
    out[1] = mxCreateDoubleMatrix(2, parts, mxREAL);
    for (i = 0; i < parts; ++i) {
      mxGetPr(out[1])[2 * i] = (double)armature_function_rows(function, i);
      mxGetPr(out[1])[2 * i + 1] = (double)armature_function_columns(function, i);
    }
  }
  armature_function_free(function);
  check(status);
}

/* {json, names, units, arrays, text} of a result, which is freed. */
static mxArray* parts_of(armature_result* result) {
  size_t arrays = 0, i;
  mxArray *cell = mxCreateCellMatrix(1, 5), *names, *units, *numbers;
  while (armature_result_name(result, arrays)) ++arrays;
  names = mxCreateCellMatrix(1, arrays), units = mxCreateCellMatrix(1, arrays), numbers = mxCreateCellMatrix(1, arrays);
  for (i = 0; i < arrays; ++i) {
    const size_t size = armature_result_size(result, i);
    mxArray* column = mxCreateDoubleMatrix(size, 1, mxREAL);
    memcpy(mxGetPr(column), armature_result_array(result, i), size * sizeof(double));
    mxSetCell(names, i, mxCreateString(armature_result_name(result, i)));
    mxSetCell(units, i, mxCreateString(armature_result_unit(result, i)));
    mxSetCell(numbers, i, column);
  }
  mxSetCell(cell, 0, mxCreateString(armature_result_json(result)));
  mxSetCell(cell, 1, names), mxSetCell(cell, 2, units), mxSetCell(cell, 3, numbers);
  mxSetCell(cell, 4, mxCreateString(armature_result_text(result)));
  armature_result_free(result);
  return cell;
}

/* simulate(scenario, folder or [], settings) */
static mxArray* simulate(const mxArray** in) {
  size_t count;
  const char** settings = settings_of(in[2], &count);
  armature_result* result = NULL;
  check(armature_simulate(text_of(in[0]), mxIsChar(in[1]) ? text_of(in[1]) : NULL, settings, count, NULL, NULL, NULL, &result));
  return parts_of(result);
}

/* identify(arm, logs, settings), validate(arm, logs, settings) */
static mxArray* with_logs(int identifies, const mxArray** in) {
  size_t logs, count;
  const char **paths = settings_of(in[1], &logs), **settings = settings_of(in[2], &count);
  armature_result* result = NULL;
  check(identifies ? armature_identify(handle_of(in[0]), paths, logs, settings, count, NULL, NULL, &result)
                   : armature_validate(handle_of(in[0]), paths, logs, settings, count, &result));
  return parts_of(result);
}

/* command(words): {what was printed, what is told of it as JSON} */
static mxArray* command(const mxArray** in) {
  size_t count;
  const char** words = settings_of(in[0], &count);
  armature_result* result = NULL;
  mxArray* cell = mxCreateCellMatrix(1, 2);
  check(armature_command(words, count, NULL, NULL, &result));
  mxSetCell(cell, 0, mxCreateString(armature_result_text(result)));
  mxSetCell(cell, 1, mxCreateString(armature_result_json(result)));
  armature_result_free(result);
  return cell;
}

/* inverse_kinematics(arm, settings, target (3 or 7 numbers), guess or []): solutions as rows, then how many there are. */
static void inverse_kinematics(int outputs, mxArray** out, const mxArray** in) {
  enum { capacity = 8 };
  size_t count, n = armature_arm_dof(handle_of(in[0])), i, k, rows;
  const char** settings = settings_of(in[1], &count);
  armature_input target = {NULL, ARMATURE_DOUBLE, 0, sizeof(double)}, guess = {NULL, ARMATURE_DOUBLE, 0, sizeof(double)};
  double* q = mxCalloc(capacity * n, sizeof *q);
  int32_t found = 0;
  if (!mxIsDouble(in[2]) || mxIsComplex(in[2])) mexErrMsgIdAndTxt("armature:error", "the target is no array of numbers");
  if (!mxIsEmpty(in[3]) && (!mxIsDouble(in[3]) || mxGetNumberOfElements(in[3]) != n))
    mexErrMsgIdAndTxt("armature:error", "the guess has not %d numbers", (int)n);
  target.data = mxGetPr(in[2]), guess.data = mxGetPr(in[3]);
  check(armature_inverse_kinematics(handle_of(in[0]), settings, count, 1, &target, mxGetNumberOfElements(in[2]),
                                    mxIsEmpty(in[3]) ? NULL : &guess, capacity, q, &found, NULL));
  rows = found > capacity ? capacity : found > 0 ? (size_t)found : 1;
  out[0] = mxCreateDoubleMatrix(rows, n, mxREAL);
  for (k = 0; k < rows; ++k)
    for (i = 0; i < n; ++i) mxGetPr(out[0])[k + rows * i] = q[k * n + i];
  if (outputs > 1) out[1] = mxCreateDoubleScalar(found);
}

void mexFunction(int outputs, mxArray** out, int inputs, const mxArray** in) {
  const struct {
    const char* name;
    int inputs;
  } commands[] = {{"load", 2}, {"text", 1}, {"replace", 2}, {"free", 1}, {"info", 1}, {"save", 2}, {"compute", 4},
                  {"simulate", 3}, {"identify", 3}, {"validate", 3}, {"command", 1}, {"ik", 4}, {"derive", 3}, {"arms", 0}, {"version", 0}};
  const char* name = inputs > 0 ? text_of(in[0]) : "";
  const char** settings;
  armature_arm* arm = NULL;
  armature_result* result = NULL;
  size_t i, count;
  for (i = 0; i < sizeof commands / sizeof *commands; ++i)
    if (!strcmp(name, commands[i].name)) break;
  if (i == sizeof commands / sizeof *commands || commands[i].inputs != inputs - 1)
    mexErrMsgIdAndTxt("armature:error", "armature_mex: no command '%s' with %d inputs", name, inputs - 1);
  ++in;
  if (!strcmp(name, "load")) {
    settings = settings_of(in[1], &count);
    check(armature_arm_load(text_of(in[0]), settings, count, &arm));
    out[0] = as_handle(arm);
  } else if (!strcmp(name, "text")) {
    check(armature_arm_from_text(text_of(in[0]), NULL, NULL, 0, &arm));
    out[0] = as_handle(arm);
  } else if (!strcmp(name, "replace")) {
    settings = settings_of(in[1], &count);
    check(armature_arm_replace(handle_of(in[0]), settings, count, &arm));
    out[0] = as_handle(arm);
  } else if (!strcmp(name, "free")) {
    armature_arm_free(handle_of(in[0]));
  } else if (!strcmp(name, "info")) {
    out[0] = info_of(handle_of(in[0]));
  } else if (!strcmp(name, "save")) {
    check(armature_arm_save(handle_of(in[0]), text_of(in[1])));
  } else if (!strcmp(name, "compute")) {
    compute(outputs, out, in);
  } else if (!strcmp(name, "simulate")) {
    out[0] = simulate(in);
  } else if (!strcmp(name, "identify") || !strcmp(name, "validate")) {
    out[0] = with_logs(name[0] == 'i', in);
  } else if (!strcmp(name, "command")) {
    out[0] = command(in);
  } else if (!strcmp(name, "ik")) {
    inverse_kinematics(outputs, out, in);
  } else if (!strcmp(name, "derive")) {
    check(armature_derive(handle_of(in[0]), text_of(in[1]), text_of(in[2]), NULL, 0, &result));
    out[0] = mxCreateString(armature_result_text(result));
    armature_result_free(result);
  } else if (!strcmp(name, "arms")) {
    for (count = 0; armature_arm_built_in(count);) ++count;
    out[0] = mxCreateCellMatrix(1, count);
    for (i = 0; i < count; ++i) mxSetCell(out[0], i, mxCreateString(armature_arm_built_in(i)));
  } else {
    out[0] = mxCreateString(armature_version());
  }
}
