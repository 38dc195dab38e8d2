function run = simulate(scenario, varargin)
% ARMATURE.SIMULATE  Runs a scenario, a file or its text (with line breaks), and returns its log.
%   run = armature.simulate('reach.yaml', 'run.duration', '2 s')
%   plot(run.time, run.q1)
% run.answer is what `armature simulate --json` says, run.units the unit of each array, run.scenario all settings.
folder = [];
if any(scenario == sprintf('\n'))
  folder = '';
end
[run, text] = armature.as_struct(armature_mex('simulate', scenario, folder, armature.settings(varargin{:})));
run.scenario = text;
end
