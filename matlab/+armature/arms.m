function names = arms()
% ARMATURE.ARMS  The names of the built-in arms.
names = armature_mex('arms');
end
