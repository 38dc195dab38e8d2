function texts = settings(varargin)
% ARMATURE.SETTINGS  'key', value pairs as the texts that the library takes: numbers exactly, texts with units as they are.
if mod(numel(varargin), 2) ~= 0
  error('armature:error', 'settings come in pairs: a key and its value');
end
texts = cell(1, numel(varargin) / 2);
for k = 1:numel(texts)
  value = varargin{2 * k};
  if islogical(value) && isscalar(value)
    words = {'false', 'true'};
    text = words{value + 1};
  elseif isnumeric(value) && isscalar(value)
    text = sprintf('%.17g', value);
  elseif isnumeric(value)
    text = ['[' strjoin(arrayfun(@(x) sprintf('%.17g', x), value(:).', 'UniformOutput', false), ', ') ']'];
  elseif ischar(value)
    text = value;
  else
    error('armature:error', 'the value of %s is neither a number nor a text', varargin{2 * k - 1});
  end
  texts{k} = [varargin{2 * k - 1} '=' text];
end
end
