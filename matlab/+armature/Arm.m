classdef Arm < handle
  % ARMATURE.ARM  A robot arm: checked when made (armature.load), constant afterwards.
  %
  % Functions take one state, vectors of n numbers, or N of them, N x n; then results have N rows, and matrices a third dimension for
  % the states. Units are SI. Further arguments are settings: a.inverse_dynamics(q, qd, qdd, 'friction', true).

  properties (SetAccess = private)
    name         % its name
    dof          % number of moving joints, n
    joint_names  % of the moving joints
    link_names   % of all links
    limits       % struct: lower, upper, velocity, acceleration, torque, 1 x n each; infinite where there is none
  end
  properties (Access = private)
    pointer
  end

  methods
    function arm = Arm(pointer)
      arm.pointer = pointer;
      info = armature_mex('info', pointer);
      [arm.name, arm.dof, arm.joint_names, arm.link_names] = info{1:4};
      rows = num2cell(info{5}, 2);
      arm.limits = cell2struct(rows, {'lower', 'upper', 'velocity', 'acceleration', 'torque'}, 1);
    end
    function delete(arm)
      if ~isempty(arm.pointer)
        try
          armature_mex('free', arm.pointer);
        catch % gone before us: the session ends
        end
      end
      arm.pointer = [];
    end

    function pointer = handle(arm)
      % For the functions of this package.
      pointer = arm.pointer;
    end
    function other = replace(arm, varargin)
      % The same arm with other keys of its file: a.replace('payload', '{mass: 2 kg}').
      other = armature.Arm(armature_mex('replace', arm.pointer, armature.settings(varargin{:})));
    end
    function save(arm, path)
      % Writes the arm as .yaml or .urdf.
      armature_mex('save', arm.pointer, path);
    end
    function text = derive(arm, what, language)
      % A function of the arm as program text: a.derive('inverse_dynamics', 'matlab').
      text = armature_mex('derive', arm.pointer, what, language);
    end

    function tau = inverse_dynamics(arm, q, qd, qdd, varargin)
      % Torques and forces that produce qdd.
      tau = arm.compute('inverse_dynamics', {q, qd, qdd}, varargin{:});
    end
    function qdd = forward_dynamics(arm, q, qd, tau, varargin)
      % Accelerations that tau produces.
      qdd = arm.compute('forward_dynamics', {q, qd, tau}, varargin{:});
    end
    function M = mass_matrix(arm, q, varargin)
      % n x n, or n x n x N.
      M = arm.compute('mass_matrix', {q}, varargin{:});
    end
    function tau = coriolis(arm, q, qd, varargin)
      % The torques C(q, qd) qd.
      tau = arm.compute('coriolis', {q, qd}, varargin{:});
    end
    function tau = gravity(arm, q, varargin)
      % Torques that hold the arm still.
      tau = arm.compute('gravity', {q}, varargin{:});
    end
    function J = jacobian(arm, q, varargin)
      % 6 x n, or 6 x n x N: velocity, then angular velocity, in base axes.
      J = arm.compute('jacobian', {q}, varargin{:});
    end
    function W = regressor(arm, q, qd, qdd)
      % W with W p = tau: n x 10 n, or n x 10 n x N.
      W = arm.compute('regressor', {q, qd, qdd});
    end
    function [kinetic, potential] = energy(arm, q, qd, varargin)
      % [J]
      both = arm.compute('energy', {q, qd}, varargin{:});
      kinetic = both(:, 1);
      potential = both(:, 2);
    end
    function [position, quaternion] = forward_kinematics(arm, q, varargin)
      % N x 3 [m], and N x 4: w, x, y, z.
      pose = arm.compute('forward_kinematics', {q}, varargin{:});
      position = pose(:, 1:3);
      quaternion = pose(:, 4:7);
    end
    function [q, found] = inverse_kinematics(arm, target, guess, varargin)
      % Solutions as rows, for a position [x y z] or a pose [x y z qw qx qy qz]; found = 0: q is the nearest position.
      if nargin < 3
        guess = [];
      end
      [q, found] = armature_mex('ik', arm.pointer, armature.settings(varargin{:}), target, guess);
    end
    function result = compute(arm, quantity, inputs, varargin)
      % Any quantity by its name.
      [result, shape] = armature_mex('compute', arm.pointer, quantity, armature.settings(varargin{:}), inputs);
      states = size(result, 1);
      if size(shape, 2) == 1 && shape(2) > 0
        result = permute(reshape(result, [states, shape(2), shape(1)]), [3, 2, 1]);
      end
    end
  end
end
