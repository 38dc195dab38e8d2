function [run, text] = with_logs(what, arm, logs, varargin)
% ARMATURE.WITH_LOGS  What identify and validate share: files in, arrays and an answer out.
if ischar(logs)
  logs = {logs};
end
parts = armature_mex(what, arm.handle(), logs, armature.settings(varargin{:}));
[run, text] = armature.as_struct(parts);
end
