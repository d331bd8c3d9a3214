// The package describes its main module only; the light one is that without Redis.
declare module 'bottleneck/light.js' {
  export { default } from 'bottleneck';
}
