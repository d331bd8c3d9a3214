// Workflow: what GitHub's hosted runner has, as far as builds of eBPF projects need it. Pure data.

/**
 * Taken from images/ubuntu/Ubuntu2404-Readme.md and images/ubuntu/toolsets/toolset-2404.json of actions/runner-images,
 * commit 749514466b4f51b7dc8d9f1cda62257dcf13d183 of 2026-08-21. The image changes weekly: look there before you rely
 * on a line of this, and note the version of the image.
 */
export const hostedRunner = {
  /** Labels of the one image that bpfgate is made for, the lasting one first. */
  labels: ['ubuntu-24.04', 'ubuntu-latest'],
  image: '20260816.277.1',
  /** Major versions of clang; the last one is `clang`. */
  clang: ['16', '17', '18'],
  /** The newest Go; the one on PATH is 1.24.13. */
  newestGo: '1.26.6',
} as const;

/** Labels of GitHub's other machines. */
export const otherHostedLabel = /^(ubuntu-(\d\d\.\d\d|slim)|windows-|macos-)/;

export interface Need {
  /** Pattern to look for in a project's commands and build files. */
  readonly word: RegExp;
  /** Pattern in .gitmodules that shows that the project has its own copy. */
  readonly vendored?: RegExp;
  readonly name: string;
  /** Packages of Ubuntu 24.04 that have it, as the input `packages` takes them; the image has none of them. */
  readonly packages: readonly string[];
}

/** What builds of eBPF projects ask for and the image does not have. */
export const absentFromImage: readonly Need[] = [
  { word: /-lbpf\b/, vendored: /libbpf/, name: 'libbpf', packages: ['libbpf-dev'] },
  { word: /-lelf\b|\blibbpf-(?:sys|rs|cargo)\b/, name: 'libelf', packages: ['libelf-dev'] },
  { word: /-lpcap\b/, name: 'libpcap', packages: ['libpcap-dev'] },
  { word: /\b(?:llvm-(?:strip|objcopy|objdump|config)|llc)\b/, name: 'the tools of LLVM', packages: ['llvm'] },
  {
    word: /\bbpftool\b/,
    vendored: /bpftool/,
    name: 'bpftool',
    // Ubuntu's bpftool starts the one for the running kernel, which on this image is of Azure's flavor.
    packages: ['linux-tools-common', 'linux-tools-azure'],
  },
  { word: /\bpahole\b/, name: 'pahole', packages: ['dwarves'] },
  { word: /\bmeson\b/, name: 'meson', packages: ['meson'] },
];
