# A formula for a Homebrew tap. .ci/archives.sh fills in version and digests and writes it
# beside the archives; put that file into Formula/ of OWNER/homebrew-tap.
class Memforge < Formula
  desc "Builds and validates benchmark datasets for multimodal agent memory"
  homepage "https://github.com/memforge/memforge"
  version "{{version}}".delete_prefix("v")
  license "Apache-2.0"

  depends_on "ffmpeg"

  base = "https://github.com/memforge/memforge/releases/download/{{version}}/memforge_{{version}}"
  on_macos do
    on_arm do
      url "#{base}_darwin_arm64.tar.gz"
      sha256 "{{sha256 darwin_arm64}}"
    end
    on_intel do
      url "#{base}_darwin_amd64.tar.gz"
      sha256 "{{sha256 darwin_amd64}}"
    end
  end
  on_linux do
    on_arm do
      url "#{base}_linux_arm64.tar.gz"
      sha256 "{{sha256 linux_arm64}}"
    end
    on_intel do
      url "#{base}_linux_amd64.tar.gz"
      sha256 "{{sha256 linux_amd64}}"
    end
  end

  def install
    bin.install "memforge"
    pkgshare.install "licences"
    generate_completions_from_executable(bin/"memforge", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/memforge version")
    system bin/"memforge", "init", "bench", "--family", "visual"
    system bin/"memforge", "plan", "-f", "bench/pipeline.yaml"
  end
end
