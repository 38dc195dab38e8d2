function [arm, run] = identify(arm, logs, varargin)
% ARMATURE.IDENTIFY  The arm that explains one log or several (a cell array): files as recorders write them.
%   found = armature.identify(armature.load('robot.urdf'), 'log.csv', 'friction', 'stribeck', 'map', 'map.yaml')
%   [found, run] = ...    run.answer.parameters: with their 95 % intervals; run.tau1, run.tau1_predicted
% Settings, also 'parameters' and 'drive_gains', are the options of `armature identify`, with underscores.
[run, text] = armature.with_logs('identify', arm, logs, varargin{:});
if isempty(text) % 'drive_gains': run.answer.gains, and no arm
  arm = [];
else
  arm = armature.Arm(armature_mex('text', text));
end
end
