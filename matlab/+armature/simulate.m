function run = simulate(scenario, varargin)
% ARMATURE.SIMULATE  Runs a scenario, a file or its text (with line breaks), and returns its log.
%   run = armature.simulate('reach.yaml', 'run.duration', '2 s')
%   plot(run.time, run.q1)
% run.answer is what `armature simulate --json` says, run.units the unit of each array, run.scenario all settings.
folder = [];
if any(scenario == sprintf('\n'))
  folder = '';
end
parts = armature_mex('simulate', scenario, folder, armature.settings(varargin{:}));
run = struct();
run.units = struct();
for k = 1:numel(parts{2})
  run.(parts{2}{k}) = parts{4}{k};
  run.units.(parts{2}{k}) = parts{3}{k};
end
run.answer = jsondecode(parts{1});
run.scenario = parts{5};
end
