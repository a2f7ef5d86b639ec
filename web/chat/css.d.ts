/** Styles that a module brings with it. The build puts them into a file of their own. */
declare module '*.css';
