// Pins the programs that only scripts need by version and checksum. Plain JavaScript for Node 20, because act.mjs runs
// before anything is installed. tests/supply-chain.test.ts checks docs/supply-chain.md against it.

/** @typedef {{ module: string, folder: string, version: string, sum: string }} GoTool */

/** Builds the Go programs if the machine's own Go is older than they require. */
export const goToolchain = {
  module: 'golang.org/toolchain',
  version: 'v0.0.1-go1.26.8.linux-amd64',
  sum: 'h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=',
};

/** @type {GoTool} */
export const actionlint = {
  module: 'github.com/rhysd/actionlint',
  folder: 'cmd/actionlint',
  version: 'v1.7.12',
  sum: 'h1:vQ4GeJN86C0QH+gTUQcs8McmK62OLT3kmakPMtEWYnY=',
};

/** @type {GoTool} */
export const act = {
  module: 'github.com/nektos/act',
  folder: '',
  version: 'v0.2.89',
  sum: 'h1:d9oFeJ6jUkaVExuG+XzAaMPDqoDrNHaGeiRb8IU+N5w=',
};

/** @type {import('../src/prerequisites/prerequisite.ts').PythonTool} */
export const zizmor = {
  name: 'zizmor',
  version: '1.32.0',
  sha256: '84a6acb975accc13408786a2bd274b572537ca19c933ebbc13e78f3988562071',
  program: 'zizmor',
  module: null,
  packages: ['python3-venv'],
};

/** @type {import('../src/prerequisites/prerequisite.ts').CargoTool} */
export const cargoAudit = {
  name: 'cargo-audit',
  version: '0.22.2',
  sha256: '700c2b240f7fd330c24b675fe429f73a5b676531fcc6300400b2b67f155ba12a',
};

/** @type {import('../src/prerequisites/prerequisite.ts').CargoTool} */
export const cargoDeny = {
  name: 'cargo-deny',
  version: '0.20.2',
  sha256: 'e528dfcbe739af7ce37a77d3d6df1b29dd6887b1c701d888820c0f16b864f737',
};
