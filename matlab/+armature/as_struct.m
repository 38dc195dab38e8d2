function [run, text] = as_struct(parts)
% ARMATURE.AS_STRUCT  A result of the library as a struct: its arrays by name, their units, the answer.
run = struct();
run.units = struct();
for k = 1:numel(parts{2})
  run.(parts{2}{k}) = parts{4}{k};
  run.units.(parts{2}{k}) = parts{3}{k};
end
run.answer = jsondecode(parts{1});
text = parts{5};
end
