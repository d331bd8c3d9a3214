export { V as renderHtml } from "./shared.js";
