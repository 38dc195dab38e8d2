function answer = command(varargin)
% ARMATURE.COMMAND  Any verb of the program with any of its options, as on a command line; what it answers is a struct.
%   checked = armature.command('check', 'robot.urdf')
%   found = armature.command('identify', arm, 'log.csv', '--friction', 'stribeck', '-o', 'identified.yaml')
% An arm (armature.load) among the words is handed over as a file; a number is written exactly. What the verb warns of is warned of.
words = varargin;
folder = '';
for k = 1:numel(words)
  if isa(words{k}, 'armature.Arm')
    if isempty(folder)
      folder = tempname();
      mkdir(folder);
    end
    file = fullfile(folder, sprintf('arm%d.yaml', k));
    words{k}.save(file);
    words{k} = file;
  elseif isnumeric(words{k})
    words{k} = strjoin(arrayfun(@(x) sprintf('%.17g', x), words{k}(:).', 'UniformOutput', false), ',');
  elseif ~ischar(words{k})
    error('armature:error', 'word %d is neither a text, a number nor an arm', k);
  end
end
try
  parts = armature_mex('command', [words, {'--json'}]);
catch problem
  clean(folder);
  rethrow(problem);
end
clean(folder);
answer = jsondecode(parts{1});
told = jsondecode(parts{2});
if ischar(told.warnings)
  told.warnings = {told.warnings};
end
for k = 1:numel(told.warnings)
  warning('armature:warning', '%s', told.warnings{k});
end
end

function clean(folder)
if ~isempty(folder)
  delete(fullfile(folder, '*'));
  rmdir(folder);
end
end
