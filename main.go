// Command memforge builds and validates benchmark datasets for multimodal
// agent memory.
package main

func main() {}
