function build_armature(include_folder, library_folder)
% BUILD_ARMATURE  Compiles armature_mex beside this file, against an installed libarmature or the one in a build folder.
%   build_armature                              an installed one
%   build_armature('../src', '../build')        of a clone
here = fileparts(mfilename('fullpath'));
words = {fullfile(here, 'armature_mex.c'), '-larmature'};
if nargin > 0
  words = [words, {['-I' include_folder], ['-L' library_folder]}];
end
if exist('OCTAVE_VERSION', 'builtin')
  if nargin > 0
    words = [words, {['-Wl,-rpath,' library_folder]}];
  end
  words = [{'--mex', '-o', fullfile(here, 'armature_mex.mex')}, words];
  [output, status] = mkoctfile(words{:});
  if status ~= 0
    error('armature:error', 'armature_mex cannot be compiled: %s', output);
  end
else
  if nargin > 0
    words = [words, {['LDFLAGS=$LDFLAGS -Wl,-rpath,' library_folder]}];
  end
  mex(words{:}, '-outdir', here);
end
end
