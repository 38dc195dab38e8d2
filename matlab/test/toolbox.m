% Run by run.py, in a folder with tables of states and of what the program computes of them.
warning('off', 'Octave:shadowed-function');
words = argv();
addpath('matlab');
build_armature(words{end - 1}, words{end});

arms = {'rrr', 'panda'};
quantities = {'inverse-dynamics', 'forward-dynamics', 'mass-matrix', 'coriolis', 'gravity', 'jacobian', 'forward-kinematics', 'energy', 'regressor'};
for k = 1:numel(arms)
  a = armature.load(arms{k});
  n = a.dof;
  for m = 1:numel(quantities)
    x = dlmread([arms{k} '_' quantities{m} '.csv'], ',', 1, 0);
    expected = dlmread([arms{k} '_' quantities{m} '_out.csv'], ',', 1, 0);
    inputs = mat2cell(x, size(x, 1), n * ones(1, size(x, 2) / n));
    name = strrep(quantities{m}, '-', '_');
    got = a.compute(name, inputs);
    if ndims(got) == 3
      got = reshape(permute(got, [3, 2, 1]), size(expected));
    end
    assert(isequal(got, expected), [arms{k} ' ' name ': not the numbers of the program']);
    one = cellfun(@(y) y(2, :), inputs, 'UniformOutput', false);
    first = a.compute(name, one);
    columns = cellfun(@(y) y(2, :).', inputs, 'UniformOutput', false);
    assert(isequal(first, a.compute(name, columns)));
    assert(isequal(reshape(first.', 1, []), expected(2, :)) || isequal(first, expected(2, :)));
  end
end

a = armature.load('rrr');
q = [0.1 0.2 0.3];
assert(isequal(a.inverse_dynamics(q, q, q), a.compute('inverse_dynamics', {q, q, q})));
assert(norm(a.forward_dynamics(q, q, a.inverse_dynamics(q, q, q)) - q) < 1e-9);
weightless = a.replace('gravity', [0 0 0]);
assert(isequal(weightless.gravity(q), [0 0 0]));
assert(norm(a.inverse_dynamics(q, q, q, 'friction', true) - a.inverse_dynamics(q, q, q)) > 0);
[position, quaternion] = a.forward_kinematics(q);
[found, count] = a.inverse_kinematics(position, q);
assert(count >= 1 && norm(a.forward_kinematics(found(1, :)) - position) < 1e-8);
[kinetic, potential] = a.energy(q, q);
assert(abs(kinetic - q * a.mass_matrix(q) * q.' / 2) < 1e-10);
assert(numel(a.joint_names) == 3 && all(a.limits.lower < a.limits.upper) && any(strcmp(armature.arms(), 'panda')));
assert(~isempty(strfind(a.derive('gravity', 'c'), 'gravity')));
a.save('copy.yaml');
again = armature.load('copy.yaml');
assert(isequal(again.gravity(q), a.gravity(q)));

run = armature.simulate('reach.yaml', 'run.duration', '0.3 s');
assert(abs(run.time(end) - 0.3) < 1e-12 && numel(run.q1) == numel(run.time) && strcmp(run.units.q1, 'rad') && run.answer.complete);

shaken = armature.simulate('shaken.yaml');
table = [shaken.time, shaken.q1_meas, shaken.q2_meas, shaken.q3_meas, shaken.tau1, shaken.tau2, shaken.tau3];
file = fopen('log.csv', 'w');
fprintf(file, 'time,q1,q2,q3,tau1,tau2,tau3\n');
fprintf(file, '%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n', table.');
fclose(file);
[found, identified] = armature.identify(a, 'log.csv', 'friction', 'coulomb_viscous');
told = armature.command('identify', a, 'log.csv', '--friction', 'coulomb_viscous', '-o', 'identified.yaml');
assert(isequal(identified.answer.parameters, told.parameters) && numel(identified.tau1) == numel(identified.tau1_predicted));
again = armature.load('identified.yaml');
assert(isequal(found.inverse_dynamics(q, q, q), again.inverse_dynamics(q, q, q)));
judged = armature.validate(found, {'log.csv'}, 'from', '2 s');
told = armature.command('validate', 'identified.yaml', 'log.csv', '--from', '2s');
assert(isequal(judged.answer.relative_error, told.relative_error) && told.relative_error < 0.1);
file = fopen('own.txt', 'w');
base = armature.command('compute', 'base-parameters', a);
fprintf(file, '%s\n', base.parameters.text);
fclose(file);
[own_arm, own] = armature.identify(a, 'log.csv', 'friction', 'coulomb_viscous', 'parameters', 'own.txt', 'without', 'p3');
assert(numel(own.answer.own_parameters) == base.count - 1 && isequal(own.answer.parameters, identified.answer.parameters));
checked = armature.command('check', a);
assert(checked.sound);
told = armature.command('compute', 'gravity', a, '--q', q);
assert(isequal(told.result.g(:), reshape(a.gravity(q), [], 1)));

function refused(call, says)
  try
    call();
  catch problem
    assert(~isempty(strfind(problem.message, says)), problem.message);
    return;
  end
  error('accepted: %s', says);
end
refused(@() armature.load('pand'), 'did you mean ''panda''');
refused(@() a.gravity([1 2]), 'vector of 3 numbers');
refused(@() a.gravity([1 NaN 2]), 'not a finite number');
refused(@() a.gravity('abc'), 'vector of 3 numbers');
refused(@() a.gravity(zeros(2, 3), 'friction', true), 'changes nothing');
refused(@() a.inverse_dynamics(zeros(2, 3), zeros(3, 3), q), 'rows');
refused(@() armature.simulate('none.yaml'), 'none.yaml');
refused(@() armature.identify(a, 'none.csv'), 'none.csv');
refused(@() armature.identify(a, 'log.csv', 'friction', 'soap'), 'no friction law ''soap''');
refused(@() armature.command('show', 'nobody'), 'no built-in arm ''nobody''');
refused(@() armature.command('show', {}), 'word 2');
refused(@() armature_mex('no such'), 'no command');
refused(@() armature_mex('free', 3), 'not a handle');
disp('all is well');
