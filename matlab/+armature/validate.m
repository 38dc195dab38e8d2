function run = validate(arm, logs, varargin)
% ARMATURE.VALIDATE  How well an arm predicts the torques of logs: run.answer.relative_error, and joint by joint.
%   run = armature.validate(found, 'other.csv', 'from', '18 s')
% Settings are the options of `armature validate`, with underscores.
run = armature.with_logs('validate', arm, logs, varargin{:});
end
