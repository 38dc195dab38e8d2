function arm = load(name, varargin)
% ARMATURE.LOAD  An arm: a built-in one by its name, an arm file (.yaml) or a URDF (.urdf).
%   arm = armature.load('panda')
%   arm = armature.load('robot.urdf', 'tip', 'tool0', 'lock.torso', '20 cm')
arm = armature.Arm(armature_mex('load', name, armature.settings(varargin{:})));
end
