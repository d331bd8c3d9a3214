// The package declares its main module only; the light one is the same without Redis.
declare module 'bottleneck/light.js' {
  export { default } from 'bottleneck';
}
