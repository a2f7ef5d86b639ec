/** What the page asks of the frame that draws diagrams. */
export interface DrawDiagram {
  id: number;
  /** In Mermaid's language. */
  code: string;
  dark: boolean;
}

/** Sizes are in px. `title` is the diagram's own, or ''; `type` is Mermaid's name of its kind. */
export type DrawnDiagram =
  | { kind: 'picture'; svg: string; width: number; height: number; title: string; type: string }
  | { kind: 'problem'; message: string };

/** The frame's answer. */
export interface DiagramMessage {
  id: number;
  drawn: DrawnDiagram;
}
