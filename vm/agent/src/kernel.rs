//! What the running kernel has: its own BTF, and which kinds of BTF it takes.

use std::panic::catch_unwind;

use aya_obj::btf::{
    Btf, BtfEnum64, BtfFeatures, BtfKind, BtfType, DataSec, DeclTag, Enum64, Float, Func,
    FuncLinkage, FuncProto, Int, IntEncoding, Ptr, TypeTag, Var, VarLinkage,
};

use crate::bpf_load::load_btf;
use crate::section::Target;

/// Where the kernel shows its BTF.
const BTF: &str = "/sys/kernel/btf/vmlinux";

/// What programs are loaded into.
pub struct Kernel {
    /// Its own BTF, or why there is none.
    pub btf: Result<Btf, String>,
    /// Which kinds of BTF it takes.
    pub features: BtfFeatures,
}

impl Kernel {
    /// Asks the running kernel. Takes seconds under emulation.
    pub fn ask() -> Self {
        let btf = catch_unwind(Btf::from_sys_fs)
            .map_err(|_| format!("{BTF} cannot be read: report this"))
            .and_then(|btf| {
                btf.map_err(|error| {
                    format!(
                        "the kernel has no BTF of its own ({error}): CONFIG_DEBUG_INFO_BTF=y is needed"
                    )
                })
            });
        Self {
            btf,
            features: features(),
        }
    }

    /// The BTF id of what a program attaches to; 0 for nothing. The error says what
    /// is missing.
    pub fn attach_id(&self, target: &Target) -> Result<u32, String> {
        let (name, kind) = match target {
            Target::None => return Ok(0),
            Target::Unnamed => {
                return Err(
                    "the section does not name what it attaches to, which the verifier must know: write it like fentry/FUNCTION"
                        .into(),
                );
            }
            Target::Function(name) => (name, BtfKind::Func),
            Target::Typedef(name) => (name, BtfKind::Typedef),
        };
        let btf = self.btf.as_ref().map_err(Clone::clone)?;
        btf.id_by_type_name_kind(name, kind).map_err(|_| {
            format!(
                "the kernel's BTF has no `{name}`: this kernel lacks what the program attaches to, or has it in a module"
            )
        })
    }

    /// The BTF id of a kernel function.
    pub fn function(&self, name: &str) -> Option<u32> {
        self.id(name, BtfKind::Func)
    }

    /// The BTF id of a kernel variable.
    pub fn variable(&self, name: &str) -> Option<u32> {
        self.id(name, BtfKind::Var)
    }

    fn id(&self, name: &str, kind: BtfKind) -> Option<u32> {
        let btf = self.btf.as_ref().ok()?;
        btf.id_by_type_name_kind(name, kind).ok()
    }
}

/// Loads the smallest BTF with each kind that kernels from 5.8 on may not take.
fn features() -> BtfFeatures {
    let takes = |build: &dyn Fn(&mut Btf, u32)| {
        let mut btf = Btf::new();
        let int = btf.add_string("int");
        let int = btf.add_type(BtfType::Int(Int::new(int, 4, IntEncoding::Signed, 0)));
        build(&mut btf, int);
        load_btf(&btf.to_bytes()).is_ok()
    };
    let func = |linkage: FuncLinkage| {
        takes(&|btf, int| {
            let proto = btf.add_type(BtfType::FuncProto(FuncProto::new(Vec::new(), int)));
            let name = btf.add_string("f");
            btf.add_type(BtfType::Func(Func::new(name, proto, linkage.clone())));
        })
    };
    BtfFeatures::new(
        func(FuncLinkage::Static),
        func(FuncLinkage::Global),
        // Since 5.2, as is the rest of what global data needs.
        true,
        takes(&|btf, _| {
            let name = btf.add_string(".empty");
            btf.add_type(BtfType::DataSec(DataSec::new(name, Vec::new(), 0)));
        }),
        takes(&|btf, _| {
            let name = btf.add_string("float");
            btf.add_type(BtfType::Float(Float::new(name, 16)));
        }),
        takes(&|btf, int| {
            let name = btf.add_string("v");
            let var = btf.add_type(BtfType::Var(Var::new(name, int, VarLinkage::Static)));
            let name = btf.add_string("tag");
            btf.add_type(BtfType::DeclTag(DeclTag::new(name, var, -1)));
        }),
        takes(&|btf, int| {
            let name = btf.add_string("tag");
            let tag = btf.add_type(BtfType::TypeTag(TypeTag::new(name, int)));
            btf.add_type(BtfType::Ptr(Ptr::new(0, tag)));
        }),
        takes(&|btf, _| {
            let name = btf.add_string("e");
            let variant = btf.add_string("a");
            let variants = vec![BtfEnum64::new(variant, 1)];
            btf.add_type(BtfType::Enum64(Enum64::new(name, true, variants)));
        }),
    )
}
