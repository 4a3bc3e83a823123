// Package web shows releases to people in their browser. It has the pages of a release and what
// other pages share: who may see them (Access), how they are written (Renderer), and the
// evidence of a question (LoadEvidence). Everything that a release says is taken for hostile:
// it reaches a page through html/template alone, and a policy forbids scripts in it.
package web
