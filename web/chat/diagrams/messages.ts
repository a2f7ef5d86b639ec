/** What the page asks of the frame that draws diagrams. */
export interface DrawDiagram {
  id: number;
  /** In Mermaid's language. */
  code: string;
  dark: boolean;
}

/** Sizes are in px. `words` say what it is. */
export type DrawnDiagram =
  | { kind: 'picture'; svg: string; width: number; height: number; words: string }
  | { kind: 'problem'; message: string };

/** The frame's answer. */
export interface DiagramMessage {
  id: number;
  drawn: DrawnDiagram;
}
